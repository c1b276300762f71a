import { laneName } from '../../../shared/contracts/result.ts';
import type { EntryBatch, JournalEntry } from '../journal/journal-entry.ts';
import type { Snapshot, StateRecord } from './records.ts';
import { EntryStep, type AppliedEntry, type BatchSource } from './entry-step.ts';
import { newLiveMonitor, type LiveMonitor } from './live-monitor.ts';

/** Everything derived from one shard's journal. The same entries in the same order give the same state. */
export class ShardState {
  readonly shard: number;
  readonly monitors = new Map<string, LiveMonitor>();
  readonly lanes: Map<string, number>;
  /** Pings in the journal that may still be in their collection, with the number of their entry. */
  readonly pings = new Map<string, number>();
  /** When each lane was last moved, Unix ms by its writer's clock. */
  readonly moved: Map<string, number>;
  n: number;
  /** When the latest entry was taken, Unix ms; 0 when unknown. */
  takenAt: number;

  constructor(shard: number, snapshot: Snapshot, records: StateRecord[]) {
    this.shard = shard;
    this.n = snapshot.n;
    this.takenAt = snapshot.taken_at ?? 0;
    this.lanes = new Map(Object.entries(snapshot.lanes));
    this.moved = new Map(Object.entries(snapshot.moved ?? {}));
    for (const { monitor_id: id, state, position } of records) {
      this.monitors.set(id, newLiveMonitor(state, position));
    }
  }

  /** Position of a lane: everything up to and including it is in the journal. */
  position(lane: string): number {
    return this.lanes.get(lane) ?? 0;
  }

  /** The lane starts from 1 again. */
  forgetLane(lane: string): void {
    this.lanes.delete(lane);
    this.moved.delete(lane);
  }

  /** @throws Error when the entry is not the next one; the shard must then be loaded again. */
  apply(entry: JournalEntry): AppliedEntry {
    if (entry.n !== this.n + 1) throw new Error(`journal entry ${entry.n} after ${this.n}`);
    const step = new EntryStep(this, entry);
    for (const config of entry.configs) step.config(config);
    for (const batch of entry.batches) this.#applyBatch(entry, batch, step);
    for (const ping of entry.pings) {
      this.pings.set(ping.id, entry.n);
      step.ping(ping);
    }
    for (const decision of entry.clock) step.clock(decision);
    for (const [lane, position] of entry.lanes) {
      this.lanes.set(lane, Math.max(position, this.position(lane)));
      this.moved.set(lane, Math.max(entry.taken_at, this.moved.get(lane) ?? 0));
    }
    this.n = entry.n;
    this.takenAt = Math.max(this.takenAt, entry.taken_at);
    return step.finish();
  }

  #applyBatch(entry: JournalEntry, taken: EntryBatch, step: EntryStep): void {
    const { batch, region, probe_id } = taken;
    const lane = laneName(probe_id, batch.epoch);
    const known = this.position(lane);
    const refused = taken.refused.length > 0 ? new Set(taken.refused) : null;
    const late = taken.late.length > 0 ? new Set(taken.late) : null;
    const source: BatchSource = { region, probe_id, epoch: batch.epoch, engine: batch.engine, late: false };
    for (const result of batch.results) {
      if (result.seq <= known || refused?.has(result.seq)) continue;
      step.result(late?.has(result.seq) ? { ...source, late: true } : source, result);
    }
    this.lanes.set(lane, Math.max(known, batch.last));
  }
}
