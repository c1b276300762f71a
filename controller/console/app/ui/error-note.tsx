import { useEffect, useRef } from 'preact/hooks';
import { ApiError, fieldErrorsOf } from '../api/api-error.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';
import { durationText } from './time.tsx';

interface Props {
  error: unknown;
  retry?: () => void;
}

/**
 * An error with the API's message and the request id for the log. For an invalid form, only messages that no field
 * shows. Renders nothing without an error.
 */
export function ErrorNote({ error, retry }: Props) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!fieldErrorsOf(error).isEmpty) focusFirstInvalid(note.current?.closest('form') ?? null);
  }, [error]);
  if (error === null || error === undefined) return null;
  const isApiError = error instanceof ApiError;
  return (
    <div ref={note} class="error-note" role="alert">
      {isApiError && !error.fieldErrors.isEmpty
        ? <Invalid error={error} />
        : <p><strong>{shellTexts.failed}.</strong> {error instanceof Error ? error.message : String(error)}</p>}
      {isApiError && error.fieldErrors.isEmpty && error.requestId !== null && (
        <p class="faint small"><code>{error.code}</code> · {shellTexts.request(error.requestId)}</p>
      )}
      {isApiError && error.retryAfter !== null && <p>{shellTexts.retryIn(durationText(error.retryAfter))}</p>}
      {retry !== undefined && <Button onClick={retry}>{shellTexts.retry}</Button>}
    </div>
  );
}

function Invalid({ error: { fieldErrors: fields } }: { error: ApiError }) {
  const { hasFieldMessages: isAnyAtField, rest } = fields.summary;
  return (
    <>
      <p><strong>{isAnyAtField ? shellTexts.fixFields : shellTexts.invalid}</strong></p>
      {rest.length > 0 && (
        <ul>{rest.map(([path, message]) => <li key={path}>{path !== '' && <><code>{path}</code>{' '}</>}{message}</li>)}</ul>
      )}
    </>
  );
}

/** Expands sections that hide invalid fields, and scrolls to the first one. */
function focusFirstInvalid(form: HTMLFormElement | null): void {
  const invalidFields = [...form?.querySelectorAll('.wrong') ?? []];
  for (const field of invalidFields) field.closest('details')?.setAttribute('open', '');
  invalidFields[0]?.querySelector<HTMLElement>('input, select, textarea')?.focus();
}
