import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function StatusPage() {
  return <Page title={shellTexts.pages}><p /></Page>;
}
