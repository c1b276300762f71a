import { useMutation } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { fieldsOf } from '../api/api-error.ts';
import type { FieldErrors } from '../api/field-errors.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

/**
 * A form in a dialog. It closes when `send` has succeeded, and else stays with the error; `children` gets what
 * is wrong with single fields.
 */
export function FormDialog<T>({ title, verb, send, onSent, onClose, children, class: more = '' }: {
  title: string; verb: string; send: () => Promise<T>; onClose: () => void;
  /** Instead of closing. */
  onSent?: (answer: T) => void;
  children: (wrong: FieldErrors) => ComponentChildren; class?: string;
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
        {children(fieldsOf(error))}
        <ErrorNote error={error} />
        <footer>
          <Button onClick={onClose}>{shellTexts.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={isPending}>{verb}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
