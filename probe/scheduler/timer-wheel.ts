/** Resolution of the wheel, ms. */
export const TICK_MS = 2;

const NEAR_BITS = 12;
const NEAR = 1 << NEAR_BITS;
const MIDDLE_BITS = 10;
const MIDDLE = 1 << MIDDLE_BITS;
const FAR_SHIFT = NEAR_BITS + MIDDLE_BITS;
const FAR = 64;
const NONE = -1;
const REBASE_AT = 2 ** 30;
const LAST_TICK = 2 ** 31 - 1;

/**
 * A hierarchical timing wheel over entries that are small whole numbers. Three rings (8 s, 2 h, 6 days),
 * 16 bytes an entry, insert, remove and fire in constant time whatever the interval.
 */
export class TimerWheel {
  #baseMs: number;
  /** Last tick that has been fired, counted from the base. */
  #now = 0;
  #next: Int32Array;
  /** Previous entry of the same bucket, or -2 - bucket for its first. */
  #previous: Int32Array;
  #due: Int32Array;
  readonly #heads = new Int32Array(NEAR + MIDDLE + FAR).fill(NONE);
  /** One bit per bucket: whether it holds anything. */
  readonly #used = new Int32Array((NEAR + MIDDLE + FAR) / 32);
  #size = 0;

  constructor(nowMs: number, capacity = 1024) {
    this.#baseMs = Math.floor(nowMs / TICK_MS) * TICK_MS;
    this.#next = new Int32Array(capacity);
    this.#previous = new Int32Array(capacity).fill(NONE);
    this.#due = new Int32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** Unix ms up to which everything has fired. */
  get nowMs(): number {
    return this.#baseMs + this.#now * TICK_MS;
  }

  /** Makes `entry` fire at the first tick at or after `dueMs` that is still to come, in place of what it had. */
  insert(entry: number, dueMs: number): void {
    if (entry >= this.#next.length) this.#grow(entry + 1);
    if (this.#previous[entry] !== NONE) this.remove(entry);
    const tick = Math.ceil((dueMs - this.#baseMs) / TICK_MS);
    this.#due[entry] = Math.max(this.#now + 1, Math.min(tick, LAST_TICK));
    this.#place(entry);
    this.#size += 1;
  }

  /** Takes `entry` out; does nothing when it is not in. */
  remove(entry: number): void {
    if (entry >= this.#next.length || this.#previous[entry] === NONE) return;
    this.#unlink(entry);
    this.#size -= 1;
  }

  /** Fires what is due up to `toMs`, in order of ticks. `fire` may insert and remove. */
  advance(toMs: number, fire: (entry: number) => void): void {
    const target = Math.floor((toMs - this.#baseMs) / TICK_MS);
    while (this.#now < target) {
      const tick = this.#nextEvent();
      if (tick > target) break;
      this.#now = tick;
      this.#cascade();
      const bucket = tick & (NEAR - 1);
      for (let entry = this.#heads[bucket] as number; entry !== NONE; entry = this.#heads[bucket] as number) {
        this.remove(entry);
        fire(entry);
      }
    }
    this.#now = Math.max(this.#now, target);
    if (this.#now > REBASE_AT) this.#rebase();
  }

  /** Unix ms of the next instant at which `advance` has something to do; Infinity when the wheel is empty. */
  nextMs(): number {
    const tick = this.#nextEvent();
    return tick === Infinity ? Infinity : this.#baseMs + tick * TICK_MS;
  }

  /** Forgets all entries and starts again at `nowMs`. */
  reset(nowMs: number): void {
    this.#heads.fill(NONE);
    this.#used.fill(0);
    this.#previous.fill(NONE);
    this.#size = 0;
    this.#now = 0;
    this.#baseMs = Math.floor(nowMs / TICK_MS) * TICK_MS;
  }

  #place(entry: number): void {
    const due = this.#due[entry] as number;
    if (due - this.#now < NEAR) return this.#link(entry, due & (NEAR - 1));
    const group = due >>> NEAR_BITS;
    if (group - (this.#now >>> NEAR_BITS) < MIDDLE) return this.#link(entry, NEAR + (group & (MIDDLE - 1)));
    const era = Math.min(due >>> FAR_SHIFT, (this.#now >>> FAR_SHIFT) + FAR - 1);
    this.#link(entry, NEAR + MIDDLE + (era & (FAR - 1)));
  }

  #link(entry: number, bucket: number): void {
    const head = this.#heads[bucket] as number;
    this.#next[entry] = head;
    this.#previous[entry] = -2 - bucket;
    if (head !== NONE) this.#previous[head] = entry;
    this.#heads[bucket] = entry;
    this.#used[bucket >>> 5] = (this.#used[bucket >>> 5] as number) | (1 << (bucket & 31));
  }

  #unlink(entry: number): void {
    const next = this.#next[entry] as number;
    const previous = this.#previous[entry] as number;
    if (next !== NONE) this.#previous[next] = previous;
    if (previous >= 0) this.#next[previous] = next;
    else this.#setHead(-2 - previous, next);
    this.#previous[entry] = NONE;
  }

  #setHead(bucket: number, entry: number): void {
    this.#heads[bucket] = entry;
    if (entry === NONE) this.#used[bucket >>> 5] = (this.#used[bucket >>> 5] as number) & ~(1 << (bucket & 31));
  }

  /** At the start of a turn of an inner ring, hands it what the outer ring kept for that turn. */
  #cascade(): void {
    if ((this.#now & (NEAR - 1)) !== 0) return;
    const group = this.#now >>> NEAR_BITS;
    if ((group & (MIDDLE - 1)) === 0) this.#spread(NEAR + MIDDLE + ((group >>> MIDDLE_BITS) & (FAR - 1)));
    this.#spread(NEAR + (group & (MIDDLE - 1)));
  }

  #spread(bucket: number): void {
    let entry = this.#heads[bucket] as number;
    this.#setHead(bucket, NONE);
    while (entry !== NONE) {
      const next = this.#next[entry] as number;
      this.#place(entry);
      entry = next;
    }
  }

  #nextEvent(): number {
    if (this.#size === 0) return Infinity;
    const near = this.#distance(0, NEAR, this.#now & (NEAR - 1));
    const group = this.#now >>> NEAR_BITS;
    const middle = this.#distance(NEAR, MIDDLE, group & (MIDDLE - 1));
    const era = group >>> MIDDLE_BITS;
    const far = this.#distance(NEAR + MIDDLE, FAR, era & (FAR - 1));
    return Math.min(this.#now + near, (group + middle) * NEAR, (era + far) * NEAR * MIDDLE);
  }

  /** Buckets from `at` (excluded) forward round the ring to the first in use; Infinity when there is none. */
  #distance(offset: number, size: number, at: number): number {
    let step = 1;
    while (step < size) {
      const bucket = (at + step) & (size - 1);
      const bit = bucket & 31;
      const word = (this.#used[(offset + bucket) >>> 5] as number) >>> bit;
      if (word !== 0) {
        const found = step + (31 - Math.clz32(word & -word));
        return found < size ? found : Infinity;
      }
      step += 32 - bit;
    }
    return Infinity;
  }

  #grow(needed: number): void {
    const size = Math.max(needed, this.#next.length * 2);
    const larger = (from: Int32Array): Int32Array => {
      const to = new Int32Array(size).fill(NONE);
      to.set(from);
      return to;
    };
    this.#next = larger(this.#next);
    this.#previous = larger(this.#previous);
    this.#due = larger(this.#due);
  }

  #rebase(): void {
    const dues: [entry: number, dueMs: number][] = [];
    for (let entry = 0; entry < this.#previous.length; entry += 1) {
      if (this.#previous[entry] !== NONE) dues.push([entry, this.#baseMs + (this.#due[entry] as number) * TICK_MS]);
    }
    this.reset(this.nowMs);
    for (const [entry, dueMs] of dues) this.insert(entry, dueMs);
  }
}
