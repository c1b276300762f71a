import { signal } from '@preact/signals';
import type { Item } from './arrange.ts';

/** The chosen monitors, and from where the next range begins. */
export class Selection {
  readonly ids = signal<ReadonlySet<string>>(new Set());
  /** The key of the line that was chosen last. */
  #anchor: string | null = null;

  clear(): void {
    this.ids.value = new Set();
    this.#anchor = null;
  }

  /** Chooses all of these, or none of them if all were. */
  toggle(ids: readonly string[]): void {
    const next = new Set(this.ids.value);
    const isAdding = ids.some((id) => !next.has(id));
    for (const id of ids) {
      if (isAdding) next.add(id);
      else next.delete(id);
    }
    this.ids.value = next;
  }

  /** Chooses one line, or with `isRange` all from the last one to it. */
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

  /** Forgets what is no longer there. */
  retain(exists: (id: string) => boolean): void {
    if ([...this.ids.peek()].every(exists)) return;
    this.ids.value = new Set([...this.ids.peek()].filter(exists));
  }
}
