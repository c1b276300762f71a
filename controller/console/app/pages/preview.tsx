import { pageTexts as texts } from '../texts/pages.ts';
import { publicPath } from './publication.tsx';
import type { StatusPage } from './reading.ts';

/** The page's state as other sites show it; anew with each change of the page. Scripts and forms do nothing in it. */
export function Preview({ page }: { page: StatusPage }) {
  return (
    <aside class="page-preview" aria-label={texts.preview}>
      <h2>{texts.preview}</h2>
      {page.status === 'published'
        ? <iframe key={page.updated_at} title={texts.preview} sandbox="allow-same-origin" src={`${publicPath(page)}/embed?changed=${page.updated_at}`} />
        : <p class="faint">{texts.noPreview}</p>}
    </aside>
  );
}
