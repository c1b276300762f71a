import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function Wall() {
  return <Page title={shellTexts.wall}><p /></Page>;
}
