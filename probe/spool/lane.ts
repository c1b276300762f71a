import type { CheckResult, DroppedRange } from '../../shared/contracts/result.ts';
import type { Segment } from './segment.ts';

/** Numbers 1, 2, 3… of one epoch and shard, and their state. */
export class Lane {
  readonly epoch: string;
  readonly shard: number;
  /** Everything up to here is in the controller's journal. Never decreases. */
  watermark = 0;
  /** Everything up to here is durable in the spool. */
  synced = 0;
  /** The number of the next result. */
  next = 1;
  /** Not yet written, in order. */
  pending: CheckResult[] = [];
  /** Ranges among the pending ones that could not be stored. */
  refused: DroppedRange[] = [];
  isUrgent = false;
  /** The highest number read for sending in this run. */
  sent = 0;
  /** Recorded on disk as possibly sent, which is required before sending. */
  isStarted = false;
  /** Started by an earlier run and not acknowledged by the controller in this one. */
  isInDoubt = false;
  /** Segments with batches of this lane above its watermark, oldest first. */
  readonly segments: Segment[] = [];

  constructor(epoch: string, shard: number) {
    this.epoch = epoch;
    this.shard = shard;
  }

  /** Numbers assigned and not acknowledged. */
  get depth(): number {
    return this.next - 1 - this.watermark;
  }

  get isDirty(): boolean {
    return this.pending.length > 0 || this.refused.length > 0;
  }

  /** Numbers a result and queues it for the next flush. */
  add(result: CheckResult): void {
    result.seq = this.next++;
    this.pending.push(result);
  }

  /** Numbers a result without storing it. */
  refuseNext(): void {
    const seq = this.next++;
    const last = this.refused[this.refused.length - 1];
    if (last && last.last === seq - 1) last.last = seq;
    else this.refused.push({ first: seq, last: seq, reason: 'spool_full' });
  }

  /** Takes the pending results to be written: all numbers from the first unwritten to the last assigned. */
  take(): Taken {
    const taken = { lane: this as Lane, last: this.next - 1, results: this.pending, refused: this.refused };
    this.pending = [];
    this.refused = [];
    this.isUrgent = false;
    return taken;
  }

  /** Marks the range as refused because writing it failed. */
  refuse(first: number, last: number): void {
    const next = this.refused[0];
    if (next && next.first === last + 1) next.first = first;
    else this.refused.unshift({ first, last, reason: 'spool_full' });
  }
}

/** A lane's pending results; every other number up to `last` is in a refused range. */
export interface Taken {
  lane: Lane;
  last: number;
  results: CheckResult[];
  refused: DroppedRange[];
}
