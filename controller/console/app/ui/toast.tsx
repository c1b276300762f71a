import { signal } from '@preact/signals';
import { ApiError } from '../api/api-error.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';

interface Toast {
  id: number;
  text: string;
  isError: boolean;
  undo?: (() => Promise<unknown>) | undefined;
}

const TOAST_MS = 8000;
const MAX_TOASTS = 4;
const toasts = signal<Toast[]>([]);
const count = { value: 0 };

/** Briefly shows what has happened; `undo` reverts it. */
export function toast(text: string, undo?: () => Promise<unknown>): void {
  show({ text, isError: false, undo });
}

/** Shows an error outside a form. */
export function toastError(error: unknown): void {
  const request = error instanceof ApiError && error.requestId !== null ? ` (${shellTexts.request(error.requestId)})` : '';
  show({ text: `${error instanceof Error ? error.message : String(error)}${request}`, isError: true });
}

function show(shown: Omit<Toast, 'id'>): void {
  count.value += 1;
  const id = count.value;
  toasts.value = [...toasts.value, { id, ...shown }].slice(-MAX_TOASTS);
  if (!shown.isError) setTimeout(() => dismiss(id), TOAST_MS);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isError, undo }) => (
        <div key={id} class={`toast ${isError ? 'bad' : ''}`}>
          <span>{text}</span>
          {undo !== undefined && (
            <Button
              onClick={() => {
                dismiss(id);
                undo().catch(toastError);
              }}
            >{shellTexts.undo}</Button>
          )}
          <Button variant="quiet" aria-label={shellTexts.close} onClick={() => dismiss(id)}>✕</Button>
        </div>
      ))}
    </div>
  );
}
