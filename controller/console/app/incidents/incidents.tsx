import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function Incidents() {
  return <Page title={shellTexts.incidents}><p /></Page>;
}
