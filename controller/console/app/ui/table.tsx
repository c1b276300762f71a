import type { ComponentChildren } from 'preact';

/** A heading, also of numbers or only for screen readers; false: no such column. */
type Column = string | { number: string } | { hidden: string } | false;

/**
 * A table whose rows become cards on narrow screens, where a cell's `data-label` replaces the heading. With a
 * `label`, the keyboard can scroll it.
 */
export function Table({ columns, label, class: more = '', children }: {
  columns: readonly Column[]; label?: string; class?: string; children: ComponentChildren;
}) {
  const scrolling = label === undefined ? {} : { 'tabIndex': 0, 'role': 'group', 'aria-label': label } as const;
  return (
    <div class="table-wrap" {...scrolling}>
      <table class={`stacked ${more}`}>
        <thead><tr>{columns.map((column, at) => column !== false && <Heading key={at} column={column} />)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function Heading({ column }: { column: Exclude<Column, false> }) {
  if (typeof column === 'string') return <th scope="col">{column}</th>;
  if ('number' in column) return <th scope="col" class="number">{column.number}</th>;
  return <th scope="col"><span class="hidden">{column.hidden}</span></th>;
}
