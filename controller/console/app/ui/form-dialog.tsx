import type { ComponentChildren } from 'preact';
import { fieldErrorsOf } from '../api/api-error.ts';
import type { FieldErrors } from '../api/field-errors.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { useForm } from './use-form.ts';

/**
 * A form in a dialog. Closes once `send` has succeeded; otherwise stays open with the error. `children` gets the
 * validation messages.
 */
export function FormDialog<T>({ title, submitLabel, send, onSent, onClose, children, class: more = '' }: {
  title: string; submitLabel: string; send: () => Promise<T>; onClose: () => void;
  /** Called instead of closing. */
  onSent?: (response: T) => void;
  children: (fieldErrors: FieldErrors) => ComponentChildren; class?: string;
}) {
  const { onSubmit, error, isBusy } = useForm(async () => {
    const response = await send();
    if (onSent === undefined) onClose();
    else onSent(response);
  });
  return (
    <Dialog title={title} onClose={onClose} class={more}>
      <form onSubmit={onSubmit}>
        {children(fieldErrorsOf(error))}
        <ErrorNote error={error} />
        <footer>
          <Button onClick={onClose}>{shellTexts.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={isBusy}>{submitLabel}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
