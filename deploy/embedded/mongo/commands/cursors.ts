import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../../../../shared/time.ts';
import { documentValue, type Value } from '../bson/value.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import type { CommandResponse } from './command.ts';

/** A stream of result documents; holds no resources while paused. */
export interface Rows {
  next(): Buffer | undefined;
  pause(): void;
}

interface Cursor {
  readonly ns: string;
  readonly rows: Rows;
  /** A document that did not fit into the last batch. */
  ahead: Buffer | undefined;
  usedAt: number;
}

/** Maximum open cursors; opening another closes the one idle longest. */
const MAX_CURSORS = 1000;
/** MongoDB's cursorTimeoutMillis. */
const IDLE_MS = 600_000;
const SWEEP_INTERVAL_MS = 60_000;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
/** MongoDB's first batch size if the client specifies none. */
const DEFAULT_FIRST_BATCH_SIZE = 101;

/** The open cursors of all clients. */
export class Cursors {
  private readonly clock: Clock;
  private readonly open = new Map<bigint, Cursor>();
  private readonly sweeper: Timer;

  constructor(clock: Clock) {
    this.clock = clock;
    this.sweeper = clock.setRepeating(SWEEP_INTERVAL_MS, () => this.sweep());
  }

  /** The first batch as the `cursor` field of a response; its id continues with the remaining documents. */
  start(ns: string, rows: Rows, batchSize: number | undefined, isSingle: boolean): CommandResponse {
    const cursor: Cursor = { ns, rows, ahead: undefined, usedAt: this.clock.monotonic() };
    const batch = this.fill(cursor, batchSize ?? DEFAULT_FIRST_BATCH_SIZE);
    let id = 0n;
    if (!batch.isDone && !isSingle) {
      id = randomBytes(8).readBigUInt64LE() >> 2n || 1n;
      this.evictOldest();
      this.open.set(id, cursor);
    }
    return { firstBatch: batch.docs, id, ns };
  }

  more(id: bigint, ns: string, batchSize: number | undefined): CommandResponse {
    const cursor = this.open.get(id);
    if (cursor === undefined || cursor.ns !== ns) {
      throw new MongoFailure(ErrorCode.cursorNotFound, `cursor id ${id} not found`);
    }
    this.open.delete(id);
    const batch = this.fill(cursor, batchSize ?? Infinity);
    if (!batch.isDone) {
      cursor.usedAt = this.clock.monotonic();
      this.open.set(id, cursor);
    }
    return { nextBatch: batch.docs, id: batch.isDone ? 0n : id, ns };
  }

  /** False when there is no such cursor. */
  kill(id: bigint): boolean {
    return this.open.delete(id);
  }

  stop(): void {
    this.sweeper.cancel();
    this.open.clear();
  }

  private fill(cursor: Cursor, size: number): { docs: Value[]; isDone: boolean } {
    const docs: Value[] = [];
    let bytes = 0;
    try {
      for (;;) {
        const doc = cursor.ahead ?? cursor.rows.next();
        cursor.ahead = undefined;
        if (doc === undefined) return { docs, isDone: true };
        if (docs.length >= size || (docs.length > 0 && bytes + doc.length > MAX_BATCH_BYTES)) {
          cursor.ahead = doc;
          return { docs, isDone: false };
        }
        docs.push(documentValue(doc));
        bytes += doc.length;
      }
    } finally {
      cursor.rows.pause();
    }
  }

  /** The map is in order of last use. */
  private evictOldest(): void {
    if (this.open.size < MAX_CURSORS) return;
    const oldest = this.open.keys().next().value;
    if (oldest !== undefined) this.open.delete(oldest);
  }

  private sweep(): void {
    const limit = this.clock.monotonic() - IDLE_MS;
    for (const [id, cursor] of this.open) if (cursor.usedAt < limit) this.open.delete(id);
  }
}

export function rowsOf(docs: readonly Buffer[]): Rows {
  let at = 0;
  return { next: () => docs[at++], pause: () => undefined };
}
