import { signal } from '@preact/signals';
import type { Item } from './arrange.ts';

/** The selected monitors, and the anchor of the next range. */
export class Selection {
  readonly ids = signal<ReadonlySet<string>>(new Set());
  /** Key of the row selected last. */
  #anchor: string | null = null;

  clear(): void {
    this.ids.value = new Set();
    this.#anchor = null;
  }

  /** Selects all of these, or deselects them if all were selected. */
  toggle(ids: readonly string[]): void {
    const next = new Set(this.ids.value);
    const isAdding = ids.some((id) => !next.has(id));
    for (const id of ids) {
      if (isAdding) next.add(id);
      else next.delete(id);
    }
    this.ids.value = next;
  }

  /** Selects one row, or with `isRange` all rows between the last one and it. */
  choose(items: readonly Item[], key: string, isRange: boolean): void {
    const [to, from] = [key, this.#anchor].map((each) => items.findIndex((item) => item.key === each)) as [number, number];
    const item = items[to];
    if (item?.kind !== 'line') return;
    if (isRange && from !== -1) {
      const between = items.slice(Math.min(from, to), Math.max(from, to) + 1);
      const ids = between.flatMap((each) => (each.kind === 'line' ? [each.monitor.id] : []));
      this.ids.value = new Set([...this.ids.value, ...ids]);
    } else this.toggle([item.monitor.id]);
    this.#anchor = key;
  }

  /** Deselects monitors that no longer exist. */
  retain(exists: (id: string) => boolean): void {
    if ([...this.ids.peek()].every(exists)) return;
    this.ids.value = new Set([...this.ids.peek()].filter(exists));
  }
}
