import { laneName, probeOfLane } from '../../../shared/contracts/result.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { MonitorState } from '../../verdicts/monitor-state.ts';
import type { EntryBatch, JournalEntry } from '../journal/journal-store.ts';
import { type Applies, type AppliedEntry, type BatchSource, EntryStep } from './entry-step.ts';
import { type LiveMonitor, liveMonitorOf, newLiveMonitor } from './live-monitor.ts';
import type { Checkpoint, LanePosition, Snapshot, StateRecord } from './records.ts';

/** The journal moved while it was read. */
export class JournalGapError extends Error {}

/** The state derived from one shard's journal. The same entries in the same order yield the same state. */
export class ShardState {
  readonly shard: number;
  readonly monitors: Map<string, LiveMonitor>;
  readonly lanes: Lanes;
  /** Journaled pings that may still be in their collection, with their entry number. */
  readonly pings = new Map<string, number>();
  readonly #shared = new SharedValues();
  n: number;
  /** When the latest entry was taken, Unix ms; 0 before the first. */
  takenAt: number;

  constructor(
    shard: number, snapshot: Snapshot, records: StateRecord[], monitors = new Map<string, LiveMonitor>(),
  ) {
    this.shard = shard;
    this.n = snapshot.n;
    this.takenAt = snapshot.taken_at;
    this.lanes = new Lanes(snapshot.lanes);
    this.monitors = monitors;
    for (const { monitor_id: id, state, position } of records) {
      this.monitors.set(id, newLiveMonitor(state, position));
    }
  }

  /**
   * As of a checkpoint, with the documents after its entry. A document at the same position or later was
   * written after it.
   */
  static fromCheckpoint(shard: number, checkpoint: Checkpoint, records: StateRecord[]): ShardState {
    const loaded = new ShardState(shard, checkpoint, []);
    const { monitors, pings } = loaded;
    for (const state of checkpoint.states) monitors.set(state.monitor_id, liveMonitorOf(state));
    for (const { monitor_id: id, state, position } of records) {
      if ((monitors.get(id)?.position ?? -1) <= position) monitors.set(id, newLiveMonitor(state, position));
    }
    for (const { id, n } of checkpoint.pings) pings.set(id, n);
    return loaded;
  }

  /** @throws JournalGapError if the entry is not the next one; the shard must then be reloaded. */
  apply(entry: JournalEntry, applies: Applies = 'all'): AppliedEntry {
    if (entry.n !== this.n + 1) throw new JournalGapError(`journal entry ${entry.n} after ${this.n}`);
    const step = new EntryStep(this, entry, applies);
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

/** Limit of shared values. Above it, the pool is cleared. */
const MAX_SHARED = 10_000;

/**
 * Deduplicates equal strings and lists across the monitors of a shard. Without it, each parsed document and
 * entry would hold its own copies, a quarter of a monitor's memory.
 */
export class SharedValues {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly (string | number)[]>();

  text<T extends string>(text: T): T {
    const shared = this.#texts.get(text);
    if (shared !== undefined) return shared as T;
    if (this.#texts.size >= MAX_SHARED) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }

  /** Shares in place, including the monitor's own id. */
  state(state: MonitorState, monitorId: string): void {
    this.config(state.config);
    state.config.monitor_id = monitorId;
    state.status = this.text(state.status);
    for (const region of Object.values(state.regions)) {
      region.verdict = this.text(region.verdict);
      if (region.probe_id !== null) region.probe_id = this.text(region.probe_id);
      region.engine = this.text(region.engine);
    }
  }

  /** Shares in place. */
  config(config: MonitorConfig): void {
    config.organization_id = this.text(config.organization_id);
    config.project_id = this.text(config.project_id);
    config.type = this.text(config.type);
    config.status = this.text(config.status);
    if (typeof config.quorum === 'string') config.quorum = this.text(config.quorum);
    config.monitoring_regions = this.#list(config.monitoring_regions);
    config.notification_target_ids = this.#list(config.notification_target_ids);
    if (config.depends_on) config.depends_on = this.#list(config.depends_on);
    config.tls_warning_days = this.#list(config.tls_warning_days);
    config.domain_warning_days = this.#list(config.domain_warning_days);
    if (config.group_id) config.group_id = this.text(config.group_id);
    if (config.assigned) config.assigned = this.#list(config.assigned);
  }

  /** Frozen, because a change would affect all monitors. */
  #list<T extends string | number>(list: T[]): T[] {
    const key = `${typeof list[0]} ${list.join()}`;
    const shared = this.#lists.get(key);
    if (shared) return shared as T[];
    if (this.#lists.size >= MAX_SHARED) this.#lists.clear();
    this.#lists.set(key, Object.freeze(list) as T[]);
    return list;
  }
}

/**
 * Lanes kept per probe and shard. If a probe opens one more, its least recently moved lane is dropped and
 * would restart at 1. Farwatch's probe never reuses a lane after 48 others have moved
 * (`probe/spool/started-lanes.ts`).
 */
export const LANES_PER_PROBE = 64;

/**
 * A lane dropped within this time after it moved, ms, was crowded out by `LANES_PER_PROBE` others. Farwatch's
 * probe starts at most eight a second in a shard.
 */
const CROWDED_OUT_MS = 5000;

/** Whether a lane dropped by an entry taken at `takenAt` had moved only seconds before. */
export function isCrowdedOut(movedAt: number, takenAt: number): boolean {
  return takenAt - movedAt < CROWDED_OUT_MS;
}

/**
 * Positions of a shard's lanes, at most `LANES_PER_PROBE` per probe. Which lanes are kept depends only on the
 * order of moves, so all readers of the journal keep the same ones.
 */
export class Lanes implements Iterable<LanePosition> {
  /** By probe; each probe's lanes in the order of their last move. */
  readonly #probes = new Map<string, Map<string, LanePosition>>();

  constructor(lanes: Iterable<LanePosition> = []) {
    for (const { lane, position, moved_at: movedAt } of lanes) this.move(lane, position, movedAt);
  }

  /** All lanes, each probe's in the order of their last move. */
  *[Symbol.iterator](): Iterator<LanePosition> {
    for (const lanes of this.#probes.values()) yield* lanes.values();
  }

  /** The position up to which the lane is journaled; 0 if it is unknown. */
  position(lane: string): number {
    return this.#probes.get(probeOfLane(lane))?.get(lane)?.position ?? 0;
  }

  /**
   * Moves a lane forward, `at` Unix ms. Returns the lane that its probe loses in return; null without one.
   */
  move(lane: string, position: number, at: number): LanePosition | null {
    const probe = probeOfLane(lane);
    let lanes = this.#probes.get(probe);
    if (!lanes) this.#probes.set(probe, (lanes = new Map<string, LanePosition>()));
    const current = lanes.get(lane);
    lanes.delete(lane);
    lanes.set(lane, {
      lane,
      position: Math.max(position, current?.position ?? 0),
      moved_at: Math.max(at, current?.moved_at ?? 0),
    });
    const [oldest] = lanes.size > LANES_PER_PROBE ? lanes.values() : [];
    if (!oldest) return null;
    lanes.delete(oldest.lane);
    return oldest;
  }

  /** The lane restarts at 1. */
  forget(lane: string): void {
    const probe = probeOfLane(lane);
    const lanes = this.#probes.get(probe);
    if (lanes?.delete(lane) && lanes.size === 0) this.#probes.delete(probe);
  }
}
