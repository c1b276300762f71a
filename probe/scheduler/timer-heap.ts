const NONE = -1;

/**
 * Timers for entries that are small integers: an indexed binary heap by due time, with insertion, update and
 * removal in logarithmic time.
 */
export class TimerHeap {
  #nowMs: number;
  /** Entries, the next one first. */
  readonly #heap: number[] = [];
  /** By entry: its index in the heap, or NONE. */
  readonly #positions: number[] = [];
  /** By entry: due time in whole Unix ms. */
  readonly #due: number[] = [];

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Unix ms up to which everything has fired. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /**
   * Sets `entry` to fire at `dueMs`, or in the next millisecond if that has passed, replacing its previous
   * time.
   */
  insert(entry: number, dueMs: number): void {
    while (this.#positions.length <= entry) {
      this.#positions.push(NONE);
      this.#due.push(0);
    }
    this.#due[entry] = Math.max(this.#nowMs + 1, dueMs);
    const position = this.#positions[entry] as number;
    if (position !== NONE) return this.#settle(position, entry);
    this.#heap.push(entry);
    this.#settle(this.#heap.length - 1, entry);
  }

  /** Does nothing if the entry is absent. */
  remove(entry: number): void {
    const position = this.#positions[entry] ?? NONE;
    if (position === NONE) return;
    this.#positions[entry] = NONE;
    const last = this.#heap.pop() as number;
    if (last !== entry) this.#settle(position, last);
  }

  /** Fires entries due up to `toMs` in order of due time. `fire` may insert and remove entries. */
  advance(toMs: number, fire: (entry: number) => void): void {
    for (let next = this.#heap[0]; next !== undefined; next = this.#heap[0]) {
      const dueMs = this.#due[next] as number;
      if (dueMs > toMs) break;
      this.#nowMs = dueMs;
      this.remove(next);
      fire(next);
    }
    this.#nowMs = Math.max(this.#nowMs, toMs);
  }

  /** Unix ms of the next due time; Infinity if there is none. */
  nextMs(): number {
    const next = this.#heap[0];
    return next === undefined ? Infinity : (this.#due[next] as number);
  }

  /** Drops all entries and restarts at `nowMs`. */
  reset(nowMs: number): void {
    for (const entry of this.#heap) this.#positions[entry] = NONE;
    this.#heap.length = 0;
    this.#nowMs = nowMs;
  }

  /** Moves `entry` up or down from `position` to its place. */
  #settle(position: number, entry: number): void {
    const heap = this.#heap;
    const due = this.#due[entry] as number;
    let at = position;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as number;
      if ((this.#due[above] as number) <= due) break;
      this.#put(at, above);
      at = parent;
    }
    for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
      const right = heap[child + 1];
      const isRightEarlier =
        right !== undefined && (this.#due[right] as number) < (this.#due[heap[child] as number] as number);
      if (isRightEarlier) child += 1;
      const below = heap[child] as number;
      if ((this.#due[below] as number) >= due) break;
      this.#put(at, below);
      at = child;
    }
    this.#put(at, entry);
  }

  #put(position: number, entry: number): void {
    this.#heap[position] = entry;
    this.#positions[entry] = position;
  }
}
