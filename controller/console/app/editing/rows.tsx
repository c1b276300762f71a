import type { ComponentChildren } from 'preact';
import { editingTexts } from '../texts/editing.ts';
import { Button } from '../ui/button.tsx';
import { FieldError } from '../ui/field.tsx';

/** A list of entries that can be added and removed, such as headers. */
export function Rows<T>({ label, hint, error, rows, onRows, newRow, maxRows, minRows = 0, addLabel, children }: {
  label: string; hint?: string | undefined; error?: string | undefined; rows: readonly T[]; onRows: (rows: T[]) => void;
  /** Initial value of an added entry. */
  newRow: T; maxRows: number; minRows?: number; addLabel: string;
  children: (row: T, set: (row: T) => void, at: number) => ComponentChildren;
}) {
  const set = (at: number) => (row: T) => onRows(rows.map((one, index) => (index === at ? row : one)));
  return (
    <div class={`entries ${error === undefined ? '' : 'wrong'}`} role="group" aria-label={label}>
      <p class="rows-label">{label}</p>
      {rows.map((row, at) => (
        <div class="row" key={at}>
          {children(row, set(at), at)}
          {rows.length > minRows && (
            <Button variant="quiet" aria-label={`${editingTexts.remove} ${at + 1}`} onClick={() => onRows(rows.filter((_, index) => index !== at))}>✕</Button>
          )}
        </div>
      ))}
      <FieldError message={error} />
      {hint !== undefined && <p class="hint">{hint}</p>}
      {rows.length < maxRows && <div><Button onClick={() => onRows([...rows, newRow])}>{addLabel}</Button></div>}
    </div>
  );
}
