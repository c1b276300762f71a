import { ApiError } from '../api/api-error.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';

/** What went wrong, in the API's words, with the id that finds the request in the log. Nothing without an error. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: () => void }) {
  if (error === null || error === undefined) return null;
  const isKnown = error instanceof ApiError;
  const fields = isKnown ? Object.entries(error.fields) : [];
  return (
    <div class="error-note" role="alert">
      <p><strong>{shellTexts.failed}.</strong> {error instanceof Error ? error.message : String(error)}</p>
      {fields.length > 0 && <ul>{fields.map(([field, message]) => <li key={field}><code>{field}</code> {message}</li>)}</ul>}
      {isKnown && error.requestId !== null && <p class="faint small"><code>{error.code}</code> · {shellTexts.request(error.requestId)}</p>}
      {isKnown && error.retryAfter !== null && <p>{shellTexts.wait(error.retryAfter)}</p>}
      {retry !== undefined && <Button onClick={retry}>{shellTexts.retry}</Button>}
    </div>
  );
}
