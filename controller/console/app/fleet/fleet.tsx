import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function Fleet() {
  return <Page title={shellTexts.fleet}><p /></Page>;
}
