export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** A value of null removes the entry. */
export interface Change {
  readonly key: Buffer;
  readonly value: Buffer | null;
}

/** Uncommitted changes over the stored entries; null for a removed entry. */
export class Overlay {
  private readonly byKey = new Map<string, Change>();
  private sorted: Change[] | null = null;
  private undo: [name: string, before: Change | undefined][] = [];

  get isEmpty(): boolean {
    return this.byKey.size === 0;
  }

  /** The pending value; null if removed, undefined if unchanged. */
  get(key: Buffer): Buffer | null | undefined {
    if (this.byKey.size === 0) return undefined;
    return this.byKey.get(key.toString('latin1'))?.value;
  }

  set(key: Buffer, value: Buffer | null): void {
    const name = key.toString('latin1');
    const before = this.byKey.get(name);
    this.undo.push([name, before]);
    this.byKey.set(name, { key, value });
    this.sorted = null;
  }

  changes(): Iterable<Change> {
    return this.byKey.values();
  }

  /** `rollback` undoes everything set after this call. */
  mark(): void {
    this.undo = [];
  }

  rollback(): void {
    for (const [name, before] of this.undo.reverse()) {
      if (before === undefined) this.byKey.delete(name);
      else this.byKey.set(name, before);
    }
    this.undo = [];
    this.sorted = null;
  }

  /** Stored entries of the range with the changes applied, excluding changes made during the iteration. */
  *merge(stored: Iterable<Entry>, from: Buffer, to: Buffer, reverse: boolean): Generator<Entry> {
    const changes = this.within(from, to);
    if (reverse) changes.reverse();
    let i = 0;
    for (const entry of stored) {
      let replaced = false;
      while (i < changes.length) {
        const change = changes[i] as Change;
        const order = reverse ? Buffer.compare(entry.key, change.key) : Buffer.compare(change.key, entry.key);
        if (order > 0) break;
        i++;
        if (change.value !== null) yield { key: change.key, value: change.value };
        if (order === 0) {
          replaced = true;
          break;
        }
      }
      if (!replaced) yield entry;
    }
    for (; i < changes.length; i++) {
      const { key, value } = changes[i] as Change;
      if (value !== null) yield { key, value };
    }
  }

  private within(from: Buffer, to: Buffer): Change[] {
    this.sorted ??= [...this.byKey.values()].sort((a, b) => Buffer.compare(a.key, b.key));
    const sorted = this.sorted;
    return sorted.slice(lowerBound(sorted, from), lowerBound(sorted, to));
  }
}

function lowerBound(sorted: readonly Change[], key: Buffer): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Buffer.compare((sorted[middle] as Change).key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
