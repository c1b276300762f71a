import { useQuery } from '@tanstack/preact-query';
import { ApiError } from '../api/api-error.ts';
import { baseUrl } from '../api/base-path.ts';
import { requestHeaders } from '../api/client.ts';
import { language } from '../preferences/language.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { QueryResult } from '../ui/loading.tsx';
import type { StatusPage } from './page-queries.ts';

/** The page as readers would see it, updated with each change. Scripts, forms and links are disabled. */
export function Preview({ page }: { page: StatusPage }) {
  const query = useQuery({
    queryKey: ['pages', page.project_id, page.id, 'preview', page.updated_at, language.value],
    queryFn: () => readPreview(page),
  });
  return (
    <aside class="page-preview" aria-label={texts.preview}>
      <h2>{texts.preview}</h2>
      <QueryResult query={query}>
        {(html) => (
          <iframe title={texts.preview} sandbox="allow-same-origin" srcdoc={html} onLoad={({ currentTarget }) => applyOwnStyle(currentTarget)} />
        )}
      </QueryResult>
      {page.logo_url !== null && <p class="faint small">{texts.previewLogo}</p>}
    </aside>
  );
}

/** The response isn't JSON, so the typed client can't read it. */
async function readPreview({ project_id: project, id }: StatusPage): Promise<string> {
  const response = await fetch(`${baseUrl}/api/projects/${project}/status-pages/${id}/preview?lang=${language.peek()}`, { headers: requestHeaders() })
    .catch(() => null);
  if (response?.ok === true) return withoutImages(await response.text());
  throw new ApiError({ code: response === null ? 'OFFLINE' : `HTTP_${response.status}`, message: texts.noPreview });
}

/** The frame inherits the console's policy, which blocks images from other hosts. */
function withoutImages(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const image of page.querySelectorAll('img, link[rel=icon]')) image.remove();
  return `<!doctype html>${page.documentElement.outerHTML}`;
}

/** The policy also blocks inline styles. This one can't load anything or affect anything outside the frame. */
function applyOwnStyle({ contentDocument: page, contentWindow: frame }: HTMLIFrameElement): void {
  const css = page?.querySelector<HTMLTemplateElement>('#own-style')?.content.textContent ?? '';
  if (page === null || frame === null || css === '') return;
  const sheet = new (frame as Window & typeof globalThis).CSSStyleSheet();
  sheet.replaceSync(css);
  page.adoptedStyleSheets = [sheet];
}
