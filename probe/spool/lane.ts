import type { CheckResult, DroppedRange } from '../../shared/contracts/result.ts';
import type { Segment } from './segment.ts';

/** Numbers 1, 2, 3… of one epoch and shard, and where they stand. */
export class Lane {
  readonly epoch: string;
  readonly shard: number;
  /** Up to here all is in the controller's journal. Never goes back. */
  watermark = 0;
  /** Up to here all is in the spool for good. */
  synced = 0;
  /** The number that the next result gets. */
  next = 1;
  /** Not yet written, in order. */
  pending: CheckResult[] = [];
  /** Stretches among the pending ones that could not be kept. */
  refused: DroppedRange[] = [];
  isUrgent = false;
  /** The highest number that was read to be sent in this life. */
  sent = 0;
  /** The disk says that some of it may have been sent: only then is it. */
  isStarted = false;
  /** An earlier life has begun it, and the controller has not answered for it in this one. */
  isInDoubt = false;
  /** Segments that hold batches of this lane above its watermark, oldest first. */
  readonly segments: Segment[] = [];

  constructor(epoch: string, shard: number) {
    this.epoch = epoch;
    this.shard = shard;
  }

  /** Numbers given out and not acknowledged. */
  get depth(): number {
    return this.next - 1 - this.watermark;
  }

  get isDirty(): boolean {
    return this.pending.length > 0 || this.refused.length > 0;
  }

  /** Numbers a result; it waits for the next flush. */
  add(result: CheckResult): void {
    result.seq = this.next++;
    this.pending.push(result);
  }

  /** Numbers a result that is not kept. */
  refuseNext(): void {
    const seq = this.next++;
    const last = this.refused[this.refused.length - 1];
    if (last && last.last === seq - 1) last.last = seq;
    else this.refused.push({ first: seq, last: seq, reason: 'spool_full' });
  }

  /** Takes what waits, to be written: all numbers from the first unwritten to the last given out. */
  take(): Taken {
    const taken = { lane: this as Lane, last: this.next - 1, results: this.pending, refused: this.refused };
    this.pending = [];
    this.refused = [];
    this.isUrgent = false;
    return taken;
  }

  /** What was taken from `first` on could not be written: it is refused, as one stretch. */
  refuse(first: number, last: number): void {
    const next = this.refused[0];
    if (next && next.first === last + 1) next.first = first;
    else this.refused.unshift({ first, last, reason: 'spool_full' });
  }
}

/** What a lane had waiting; every number up to `last` that is not a result is in a refused stretch. */
export interface Taken {
  lane: Lane;
  last: number;
  results: CheckResult[];
  refused: DroppedRange[];
}
