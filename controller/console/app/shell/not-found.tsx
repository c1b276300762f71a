import { shellTexts } from '../texts/shell.ts';
import { href } from '../ui/link.ts';
import { Page } from '../ui/page.tsx';

export function NotFound() {
  return (
    <Page title={shellTexts.notFound}>
      <p>{shellTexts.notFoundLong}</p>
      <p><a href={href('/')}>{shellTexts.back}</a></p>
    </Page>
  );
}
