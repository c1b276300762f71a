import { shellTexts } from '../texts/shell.ts';
import { Page } from '../ui/page.tsx';

export function NotFound() {
  return (
    <Page title={shellTexts.notFound} back={{ to: '/', text: shellTexts.allMonitors }}>
      <p>{shellTexts.notFoundText}</p>
    </Page>
  );
}
