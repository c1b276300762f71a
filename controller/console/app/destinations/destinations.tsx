import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function Destinations() {
  return <Page title={shellTexts.destinations}><p /></Page>;
}
