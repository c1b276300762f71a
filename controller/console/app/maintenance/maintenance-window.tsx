import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function MaintenanceWindow() {
  return <Page title={shellTexts.maintenance}><p /></Page>;
}
