import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function NewMonitor() {
  return <Page title={shellTexts.newMonitor}><p /></Page>;
}
