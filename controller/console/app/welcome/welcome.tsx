import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function Welcome() {
  return <Page title={shellTexts.overview}><p /></Page>;
}
