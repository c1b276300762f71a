import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function Pages() {
  return <Page title={shellTexts.pages}><p /></Page>;
}
