import { documentValue } from '../bson/value.ts';
import { indexKeys, type KeyField } from '../keys/index-keys.ts';
import type { Collection } from '../storage/collection.ts';
import { type Index, tablePrefix } from '../storage/index.ts';
import type { Entry } from '../storage/overlay.ts';
import { MAX_KEY_BYTES } from '../storage/engine.ts';
import type { Storage } from '../storage/storage.ts';
import { endOfKeys, type KeyRange } from './bounds.ts';
import type { Matcher } from './matcher.ts';
import type { Plan } from './plan.ts';

/** A document found by a query, and its encoded `_id`. */
export interface Hit {
  readonly idKey: Buffer;
  readonly doc: Buffer;
}

/** Documents with the same value of a field. */
interface Group {
  /** One of the documents. */
  readonly doc: Buffer;
  readonly count: number;
}

const ZERO = Buffer.from([0]);

/**
 * Scans the ranges of a plan and yields the matching documents. Holds no resources while paused, then resumes
 * after the last key and sees intermediate changes, as MongoDB's cursors do.
 */
export class Scan {
  private readonly storage: Storage;
  private readonly collection: Collection;
  private readonly plan: Plan;
  private readonly matches: Matcher;
  private readonly ranges: KeyRange[];
  private readonly seen: Set<string> | null;
  private rangeIndex = 0;
  private lastKey: Buffer | null = null;
  private toSkip = 0;
  private entries: Iterator<Entry> | null = null;

  constructor(storage: Storage, collection: Collection, plan: Plan, matches: Matcher) {
    this.storage = storage;
    this.collection = collection;
    this.plan = plan;
    this.matches = matches;
    const prefix = tablePrefix(plan.index?.table ?? collection.table);
    this.ranges = plan.ranges.map(({ from, to }) => ({
      from: Buffer.concat([prefix, from]),
      to: Buffer.concat([prefix, to]),
    }));
    if (plan.reverse) this.ranges.reverse();
    this.seen = plan.index?.multikey === true ? new Set() : null;
  }

  get isSorted(): boolean {
    return this.plan.isSorted;
  }

  /**
   * Skips the first `count` matches without reading their documents; false if that is impossible. Call it
   * before the first `next`.
   */
  skip(count: number): boolean {
    if (!this.plan.isExact || this.plan.isPoints || this.ranges.length !== 1) return false;
    this.toSkip = count;
    return true;
  }

  /** The next match; undefined at the end. Releases its resources if it throws. */
  next(): Hit | undefined {
    try {
      for (let entry = this.nextEntry(); entry !== undefined; entry = this.nextEntry()) {
        const hit = this.fetch(entry);
        if (hit !== undefined && this.matches(documentValue(hit.doc))) return hit;
      }
      return undefined;
    } catch (error) {
      this.pause();
      throw error;
    }
  }

  /** The number of matches up to `limit`, from the keys alone if possible. Call it instead of `next`. */
  count(limit: number): number {
    if (this.plan.isExact && !this.plan.isPoints) {
      const all = this.ranges.reduce((sum, { from, to }) => sum + this.storage.count(from, to), 0);
      return Math.min(limit, all);
    }
    let count = 0;
    while (count < limit && this.next() !== undefined) count++;
    this.pause();
    return count;
  }

  /**
   * Groups all matches by the value of that field: one document per value and its count. Reads no other
   * documents if the keys suffice; otherwise yields each match separately. Call it instead of `next`.
   */
  *groups(field: string): Generator<Group> {
    const { index, isExact, orderedBy } = this.plan;
    if (index !== null && isExact && orderedBy === field) {
      const fields = index.fields.slice(0, index.fields.findIndex(({ name }) => name === field) + 1);
      for (const range of this.ranges) yield* this.groupsOf(index, fields, range);
      return;
    }
    for (let hit = this.next(); hit !== undefined; hit = this.next()) yield { doc: hit.doc, count: 1 };
  }

  /** Releases the database until `next` is called. */
  pause(): void {
    this.entries?.return?.();
    this.entries = null;
  }

  /** Jumps from the first entry of a value to the first of the next. */
  private *groupsOf(index: Index, fields: readonly KeyField[], { from, to }: KeyRange): Generator<Group> {
    const prefix = tablePrefix(index.table);
    for (let start = from; ;) {
      const [entry] = this.storage.range(start, to);
      if (entry === undefined) return;
      const doc = this.fetch(entry)?.doc;
      if (doc === undefined) {
        start = Buffer.concat([entry.key, ZERO]);
        continue;
      }
      const [values] = indexKeys(doc, fields, false).keys as [Buffer];
      const end = endOfKeys(Buffer.concat([prefix, values]));
      yield { doc, count: this.storage.count(start, end) };
      start = end;
    }
  }

  private fetch({ key, value }: Entry): Hit | undefined {
    const { index } = this.plan;
    if (index === null) return { idKey: key.subarray(4), doc: value };
    const idKey = index.idKeyOf(key, value);
    if (this.seen !== null) {
      const name = idKey.toString('latin1');
      if (this.seen.has(name)) return undefined;
      this.seen.add(name);
    }
    const doc = this.collection.get(idKey);
    return doc === undefined ? undefined : { idKey, doc };
  }

  private nextEntry(): Entry | undefined {
    if (this.plan.isPoints) return this.nextPoint();
    while (this.rangeIndex < this.ranges.length) {
      this.entries ??= this.open(this.ranges[this.rangeIndex] as KeyRange);
      const step = this.entries.next();
      if (step.done !== true) {
        this.lastKey = step.value.key;
        return step.value;
      }
      this.entries = null;
      this.lastKey = null;
      this.rangeIndex++;
    }
    return undefined;
  }

  private nextPoint(): Entry | undefined {
    while (this.rangeIndex < this.ranges.length) {
      const key = (this.ranges[this.rangeIndex++] as KeyRange).from;
      const value = key.length > MAX_KEY_BYTES ? undefined : this.storage.get(key);
      if (value !== undefined) return { key, value };
    }
    return undefined;
  }

  private open(range: KeyRange): Iterator<Entry> {
    const { lastKey } = this;
    const { reverse } = this.plan;
    const from = lastKey !== null && !reverse ? Buffer.concat([lastKey, ZERO]) : range.from;
    const to = lastKey !== null && reverse ? lastKey : range.to;
    const skip = lastKey === null ? this.toSkip : 0;
    return this.storage.range(from, to, reverse, skip)[Symbol.iterator]();
  }
}
