import { useMutation } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { fieldErrorsOf } from '../api/api-error.ts';
import type { FieldErrors } from '../api/field-errors.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

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
  const { mutate, error, isPending } = useMutation({ mutationFn: send, onSuccess: onSent ?? onClose });
  return (
    <Dialog title={title} onClose={onClose} class={more}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        {children(fieldErrorsOf(error))}
        <ErrorNote error={error} />
        <footer>
          <Button onClick={onClose}>{shellTexts.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={isPending}>{submitLabel}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
