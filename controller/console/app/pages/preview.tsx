import { useQuery } from '@tanstack/preact-query';
import { ApiError } from '../api/api-error.ts';
import { requestHeaders } from '../api/client.ts';
import { language } from '../preferences/language.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { Shown } from '../ui/loading.tsx';
import type { StatusPage } from './reading.ts';

/** The page as its readers see it, or would see it; anew with each change. Scripts, forms and links do nothing in it. */
export function Preview({ page }: { page: StatusPage }) {
  const read = useQuery({
    queryKey: ['pages', page.project_id, page.id, 'preview', page.updated_at, language.value],
    queryFn: () => readPreview(page),
  });
  return (
    <aside class="page-preview" aria-label={texts.preview}>
      <h2>{texts.preview}</h2>
      <Shown of={read}>{(html) => <iframe title={texts.preview} sandbox="allow-same-origin" srcdoc={html} />}</Shown>
    </aside>
  );
}

/** The answer is no JSON, so the typed client cannot read it. */
async function readPreview({ project_id: project, id }: StatusPage): Promise<string> {
  const response = await fetch(`/api/projects/${project}/status-pages/${id}/preview?lang=${language.peek()}`, { headers: requestHeaders() })
    .catch(() => null);
  if (response?.ok === true) return response.text();
  throw new ApiError({ code: response === null ? 'OFFLINE' : `HTTP_${response.status}`, message: texts.noPreview });
}
