import { laneName } from '../../../shared/contracts/result.ts';
import type { EntryBatch, JournalEntry } from '../journal/journal-entry.ts';
import type { Snapshot, StateRecord } from './records.ts';
import { Lanes } from './lanes.ts';
import { EntryStep, type AppliedEntry, type BatchSource } from './entry-step.ts';
import { SharedValues } from './shared-values.ts';
import { newLiveMonitor, type LiveMonitor } from './live-monitor.ts';

/** The journal moved while it was read. */
export class JournalGapError extends Error {}

/** The state derived from one shard's journal. The same entries in the same order yield the same state. */
export class ShardState {
  readonly shard: number;
  readonly monitors = new Map<string, LiveMonitor>();
  readonly lanes: Lanes;
  /** Journaled pings that may still be in their collection, with their entry number. */
  readonly pings = new Map<string, number>();
  readonly #shared = new SharedValues();
  n: number;
  /** When the latest entry was taken, Unix ms; 0 before the first. */
  takenAt: number;

  constructor(shard: number, snapshot: Snapshot, records: StateRecord[]) {
    this.shard = shard;
    this.n = snapshot.n;
    this.takenAt = snapshot.taken_at;
    this.lanes = new Lanes(snapshot.lanes);
    for (const { monitor_id: id, state, position } of records) {
      this.monitors.set(id, newLiveMonitor(state, position));
    }
  }

  /** @throws JournalGapError if the entry is not the next one; the shard must then be reloaded. */
  apply(entry: JournalEntry): AppliedEntry {
    if (entry.n !== this.n + 1) throw new JournalGapError(`journal entry ${entry.n} after ${this.n}`);
    const step = new EntryStep(this, entry);
    for (const config of entry.configs) {
      this.#shared.config(config);
      step.config(config);
    }
    for (const decision of entry.clock) if (decision.kind === 'assigned') step.clock(decision);
    // Lanes move after all batches are applied, so that none is dropped in between.
    const moves = new Map<string, number>();
    for (const batch of entry.batches) this.#applyBatch(batch, entry.taken_at, step, moves);
    for (const ping of entry.pings) {
      this.pings.set(ping.id, entry.n);
      step.ping(ping);
    }
    for (const decision of entry.clock) if (decision.kind !== 'assigned') step.clock(decision);
    for (const { lane, position } of entry.lanes) moves.set(lane, Math.max(position, moves.get(lane) ?? 0));
    const applied = step.finish();
    for (const [lane, position] of moves) {
      const dropped = this.lanes.move(lane, position, entry.taken_at);
      if (dropped) applied.dropped.push(dropped);
    }
    this.n = entry.n;
    this.takenAt = Math.max(this.takenAt, entry.taken_at);
    return applied;
  }

  #applyBatch(taken: EntryBatch, takenAt: number, step: EntryStep, moves: Map<string, number>): void {
    const { batch } = taken;
    // One string for all regions last checked by a probe.
    const [region, probe_id] = [this.#shared.text(taken.region), this.#shared.text(taken.probe_id)];
    const lane = laneName(probe_id, batch.epoch);
    const position = moves.get(lane) ?? this.lanes.position(lane);
    const refused = taken.refused.length > 0 ? new Set(taken.refused) : null;
    const late = taken.late.length > 0 ? new Set(taken.late) : null;
    const engine = this.#shared.text(batch.engine);
    const source: BatchSource =
      { region, probe_id, epoch: batch.epoch, engine, late: false, muted: taken.muted };
    const lateSource = late && { ...source, late: true, received: { at: takenAt, epoch: batch.epoch } };
    for (const result of batch.results) {
      if (result.seq <= position || refused?.has(result.seq)) continue;
      step.result(lateSource && late?.has(result.seq) ? lateSource : source, result);
    }
    moves.set(lane, Math.max(position, batch.last));
  }
}
