import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function Settings() {
  return <Page title={shellTexts.settings}><p /></Page>;
}
