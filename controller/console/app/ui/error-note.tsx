import { useEffect, useRef } from 'preact/hooks';
import { ApiError, fieldsOf } from '../api/api-error.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';
import { durationText } from './time.tsx';

interface Props {
  error: unknown;
  retry?: () => void;
}

/**
 * What went wrong, in the API's words, with the id that finds the request in the log. Of an invalid form only what
 * stands at none of its fields. Nothing without an error.
 */
export function ErrorNote({ error, retry }: Props) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!fieldsOf(error).isEmpty) showFirst(note.current?.closest('form') ?? null);
  }, [error]);
  if (error === null || error === undefined) return null;
  const isKnown = error instanceof ApiError;
  return (
    <div ref={note} class="error-note" role="alert">
      {isKnown && !error.fields.isEmpty
        ? <Invalid of={error} />
        : <p><strong>{shellTexts.failed}.</strong> {error instanceof Error ? error.message : String(error)}</p>}
      {isKnown && error.fields.isEmpty && error.requestId !== null && (
        <p class="faint small"><code>{error.code}</code> · {shellTexts.request(error.requestId)}</p>
      )}
      {isKnown && error.retryAfter !== null && <p>{shellTexts.wait(durationText(error.retryAfter))}</p>}
      {retry !== undefined && <Button onClick={retry}>{shellTexts.retry}</Button>}
    </div>
  );
}

function Invalid({ of: { fields } }: { of: ApiError }) {
  const { isAnyAtField, rest } = fields.shown;
  return (
    <>
      <p><strong>{isAnyAtField ? shellTexts.fixFields : shellTexts.invalid}</strong></p>
      {rest.length > 0 && (
        <ul>{rest.map(([path, message]) => <li key={path}>{path !== '' && <><code>{path}</code>{' '}</>}{message}</li>)}</ul>
      )}
    </>
  );
}

/** Opens what hides wrong fields of a form, and brings the first one into view. */
function showFirst(form: HTMLFormElement | null): void {
  const wrong = [...form?.querySelectorAll('.wrong') ?? []];
  for (const field of wrong) field.closest('details')?.setAttribute('open', '');
  wrong[0]?.querySelector<HTMLElement>('input, select, textarea')?.focus();
}
