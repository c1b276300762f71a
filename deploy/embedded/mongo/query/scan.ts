import { documentValue } from '../bson/value.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import type { Collection } from '../storage/collection.ts';
import { tablePrefix } from '../storage/index.ts';
import { MAX_KEY_BYTES, type Storage } from '../storage/storage.ts';
import type { Entry } from '../storage/overlay.ts';
import type { KeyRange } from './bounds.ts';
import type { Matcher } from './matcher.ts';
import type { Plan } from './plan.ts';

/** A document that a scan found. */
export interface Hit {
  readonly idKey: Buffer;
  readonly doc: Buffer;
}

const ZERO = Buffer.from([0]);

/**
 * Walks a plan's ranges and yields the matching documents. Between batches it holds nothing open in the database:
 * it remembers the last key and goes on from there, seeing what has changed meanwhile as MongoDB's cursors do.
 */
export class Scan {
  keysExamined = 0;
  docsExamined = 0;
  private readonly storage: Storage;
  private readonly collection: Collection;
  private readonly plan: Plan;
  private readonly matches: Matcher;
  private readonly ranges: KeyRange[];
  private readonly seen: Set<string> | null;
  private readonly prefix: Buffer;
  private readonly checkDeadline: (() => void) | undefined;
  private rangeIndex = 0;
  private lastKey: Buffer | null = null;
  private toSkip = 0;
  private entries: Iterator<Entry> | null = null;

  constructor(storage: Storage, collection: Collection, plan: Plan, matches: Matcher, checkDeadline?: () => void) {
    this.storage = storage;
    this.checkDeadline = checkDeadline;
    this.collection = collection;
    this.plan = plan;
    this.matches = matches;
    this.prefix = tablePrefix(plan.index?.table ?? collection.table);
    this.ranges = plan.ranges.map(({ from, to }) => ({ from: Buffer.concat([this.prefix, from]), to: Buffer.concat([this.prefix, to]) }));
    if (plan.reverse) this.ranges.reverse();
    this.seen = plan.index?.multikey === true ? new Set() : null;
  }

  /** Leaves out the first `count` matches where their entries alone tell them; false where they have to be read. Before `next`. */
  skip(count: number): boolean {
    if (!this.plan.isExact || this.plan.isPoints || this.ranges.length !== 1) return false;
    this.toSkip = count;
    return true;
  }

  /** The next match; undefined at the end. Holds nothing open when it throws. */
  next(): Hit | undefined {
    if (this.collection.isDropped || this.plan.index?.isDropped === true) {
      throw new MongoFailure(ErrorCode.planKilled, 'query plan killed :: the collection or index it reads was dropped');
    }
    try {
      return this.advance();
    } catch (error) {
      this.pause();
      throw error;
    }
  }

  private advance(): Hit | undefined {
    for (let entry = this.nextEntry(); entry !== undefined; entry = this.nextEntry()) {
      if ((++this.keysExamined & 255) === 0) this.checkDeadline?.();
      const hit = this.fetch(entry);
      if (hit === undefined) continue;
      this.docsExamined++;
      if (this.matches(documentValue(hit.doc))) return hit;
    }
    return undefined;
  }

  /** Lets go of the database until the next `next`. */
  pause(): void {
    this.entries?.return?.();
    this.entries = null;
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
    return this.storage.range(from, to, { reverse, skip: lastKey === null ? this.toSkip : 0 })[Symbol.iterator]();
  }
}
