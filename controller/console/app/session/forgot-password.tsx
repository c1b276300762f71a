import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export default function ForgotPassword() {
  return <Page title={shellTexts.account}><p /></Page>;
}
