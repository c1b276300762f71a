import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './error-note.tsx';

interface Props {
  title: string;
  /** Without this, only its content can close the dialog. */
  onClose?: () => void;
  children: ComponentChildren;
  class?: string;
}

/** A modal dialog. Escape and a click outside close it, and focus returns to the previous element. */
export function Dialog({ title, onClose, children, class: more = '' }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  const id = useId();
  // Synchronous, because the next keypress may come before the next frame.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const shown = element.current;
    shown?.showModal();
    return () => {
      isGone.current = true;
      // While a modal dialog is open, nothing outside it can have the focus.
      shown?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element} class={`dialog ${more}`} aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClose={() => {
        // Browsers close it regardless when Escape is pressed twice.
        if (isGone.current) return;
        if (onClose === undefined) element.current?.showModal();
        else onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) onClose?.();
      }}
    >
      <div class="dialog-body">
        <header><h2 id={id}>{title}</h2>{onClose !== undefined && <Button variant="quiet" aria-label={shellTexts.close} onClick={onClose}>✕</Button>}</header>
        {children}
      </div>
    </dialog>
  );
}

/** Confirms an irreversible action. Stays open with the error if `action` fails. */
export function ConfirmDialog({ title, text, confirmLabel, action, onClose, requiredText }: {
  title: string; text: ComponentChildren; confirmLabel: string; action: () => Promise<unknown>; onClose: () => void;
  /** Text that the user must type to confirm. */
  requiredText?: string;
}) {
  const [entered, setEntered] = useState('');
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });
  const run = () => {
    setState({ isBusy: true, error: null });
    action().then(onClose, (error: unknown) => setState({ isBusy: false, error }));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <div>{text}</div>
        {requiredText !== undefined && (
          <input aria-label={requiredText} value={entered} onInput={({ currentTarget }) => setEntered(currentTarget.value)} />
        )}
        <ErrorNote error={state.error} />
        <footer>
          <Button onClick={onClose}>{shellTexts.cancel}</Button>
          <Button type="submit" variant="danger" isBusy={state.isBusy} disabled={requiredText !== undefined && entered !== requiredText}>{confirmLabel}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
