import { applyItem, newMonitorState } from '../../verdicts/monitor-rules.ts';
import { hourOf } from '../../verdicts/booking-rules.ts';
import { isQuiet, noteQuiet, ownCopy } from '../../verdicts/quiet-rules.ts';
import type { JournaledPing, MonitorEffect, MonitorItem, MonitorState } from '../../verdicts/monitor-state.ts';
import { laneName, type CheckResult } from '../../../shared/contracts/result.ts';
import { HourRows, type RowSource } from '../hours/hour-rows.ts';
import type { ClockDecision, EntryBatch, JournalEntry } from '../journal/journal-entry.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { overdueRow, pingRow } from '../hours/ping-rows.ts';
import type { StoredResult } from '../hours/stored-result.ts';
import type { Snapshot, StateRecord } from '../journal/storage-ports.ts';

/** A monitor in the hands of its shard's owner. */
export interface MonitorCell {
  state: MonitorState;
  /** The state, while nobody else holds it: what only confirms it is then noted in it. Any other object is never changed. */
  own: MonitorState | null;
  /** Number of the last journal entry that `state` has seen. */
  position: number;
  /** First entry whose effect on `state` is in no document; null when the document is as good. */
  unsavedFrom: number | null;
  /** Changes that are decided and not yet written: until then no other write may overtake them. */
  queued: number;
  /** How often hours and days of it were written here: what somebody read of them before is then old. */
  writes: number;
  hours: Map<number, HourRows>;
}

/** A result that an entry brought and that had not been there before. */
export interface FreshResult {
  config: MonitorConfig;
  region: string;
  probe_id: string;
  epoch: string;
  engine: string;
  result: CheckResult;
}

/** What all results of a batch have in common; one object for all of them. */
type BatchSource = Omit<FreshResult, 'config' | 'result'> & RowSource;

/** An item on which a rule threw twice; it moved nothing. `fresh` when it was a result. */
export interface FailedItem {
  monitor_id: string;
  item: MonitorItem;
  fresh: FreshResult | null;
}

export interface AppliedEntry {
  /** State documents to write, with what they want done. */
  changed: StateRecord[];
  fresh: FreshResult[];
  failed: FailedItem[];
}

/** A monitor as its document at journal entry `position` has it. */
export function newCell(state: MonitorState, position: number): MonitorCell {
  return { state, own: null, position, unsavedFrom: null, queued: 0, writes: 0, hours: new Map() };
}

/** All that is derived from one shard's journal. Applying the same entries in the same order ends in the same state. */
export class ShardState {
  readonly shard: number;
  readonly monitors = new Map<string, MonitorCell>();
  readonly lanes: Map<string, number>;
  /** Pings that are in the journal and may still be in their collection, with the number of their entry. */
  readonly pings = new Map<string, number>();
  /** When each lane was last moved, Unix ms by its writer's clock. */
  readonly moved: Map<string, number>;
  n: number;
  /** When the latest entry was taken, Unix ms; 0 when that is not known. */
  takenAt: number;

  constructor(shard: number, snapshot: Snapshot, records: StateRecord[]) {
    this.shard = shard;
    this.n = snapshot.n;
    this.takenAt = snapshot.taken_at ?? 0;
    this.lanes = new Map(Object.entries(snapshot.lanes));
    this.moved = new Map(Object.entries(snapshot.moved ?? {}));
    for (const { monitor_id: id, state, position } of records) {
      this.monitors.set(id, newCell(state, position));
    }
  }

  /** Position of a lane: everything up to and including it is in the journal. */
  position(lane: string): number {
    return this.lanes.get(lane) ?? 0;
  }

  /** From now on the lane starts anew. */
  forgetLane(lane: string): void {
    this.lanes.delete(lane);
    this.moved.delete(lane);
  }

  /** @throws Error when the entry is not the next one: the caller must load anew. */
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

/** One entry on its way through the monitors that it concerns. */
class EntryStep {
  readonly #shard: ShardState;
  readonly #entry: JournalEntry;
  readonly #effects = new Map<string, MonitorEffect[]>();
  readonly #touched = new Set<MonitorCell>();
  readonly #applied: AppliedEntry = { changed: [], fresh: [], failed: [] };

  constructor(shard: ShardState, entry: JournalEntry) {
    this.#shard = shard;
    this.#entry = entry;
  }

  config(config: MonitorConfig): void {
    const id = config.monitor_id;
    if (!this.#shard.monitors.has(id)) {
      this.#shard.monitors.set(id, newCell(newMonitorState(config), this.#entry.n - 1));
    }
    this.#effectsOf(id);
    this.item(id, { kind: 'config', config });
  }

  clock(decision: ClockDecision): void {
    switch (decision.kind) {
      case 'hour':
        for (const id of this.#shard.monitors.keys()) this.item(id, decision);
        break;
      case 'unwatched':
        for (const [id, { state }] of this.#shard.monitors) if (state.heartbeat) this.item(id, decision);
        break;
      case 'overdue':
        // What came with the decision, unknown to it, makes it void.
        if (![...this.#entry.pings, ...this.#entry.configs].some((other) => other.monitor_id === decision.monitor_id)) {
          this.#addRow(decision.monitor_id, overdueRow(decision.at));
          this.item(decision.monitor_id, decision);
        }
        break;
      case 'silent':
        this.item(decision.monitor_id, decision);
        break;
      case 'watched':
    }
  }

  ping(ping: JournaledPing): void {
    const row = pingRow(ping);
    if (row) this.#addRow(ping.monitor_id, row);
    this.item(ping.monitor_id, { kind: 'ping', ping });
  }

  result(source: BatchSource, result: CheckResult): void {
    const cell = this.#shard.monitors.get(result.monitor_id);
    if (!cell) return;
    const { region, probe_id, epoch, engine, late } = source;
    const fresh: FreshResult = { config: cell.state.config, region, probe_id, epoch, engine, result };
    this.#applied.fresh.push(fresh);
    this.#rowsAt(cell, result.started_at).add(this.#entry.n, source, result);
    this.#itemOf(result.monitor_id, cell, { kind: 'result', region, probe_id, result, late }, fresh);
  }

  /** What one monitor cannot take is set aside for that monitor alone. */
  item(monitorId: string, item: MonitorItem): void {
    this.#itemOf(monitorId, this.#shard.monitors.get(monitorId), item, null);
  }

  #itemOf(monitorId: string, cell: MonitorCell | undefined, item: MonitorItem, fresh: FreshResult | null): void {
    if (!this.#tryTwice(monitorId, cell, item)) this.#applied.failed.push({ monitor_id: monitorId, item, fresh });
  }

  #take(monitorId: string, cell: MonitorCell | undefined, item: MonitorItem): void {
    // A document at or past this entry has seen it: only its rows had to be gathered again.
    if (!cell || this.#entry.n <= cell.position) return;
    const effects = this.#effects.size > 0 ? this.#effects.get(monitorId) : undefined;
    const place = { n: this.#entry.n, index: effects?.length ?? 0 };
    if (item.kind === 'result' && isQuiet(cell.state, item, place)) {
      if (cell.own !== cell.state) cell.state = cell.own = ownCopy(cell.state);
      noteQuiet(cell.state, item);
      this.#touched.add(cell);
      return;
    }
    const step = applyItem(cell.state, item, place);
    if (step.state === cell.state && step.effects.length === 0) return;
    cell.state = step.state;
    this.#touched.add(cell);
    if (step.effects.length > 0) this.#effectsOf(monitorId).push(...step.effects);
  }

  finish(): AppliedEntry {
    const { n } = this.#entry;
    for (const cell of this.#touched) {
      cell.position = n;
      cell.unsavedFrom ??= n;
    }
    for (const [monitorId, outbox] of this.#effects) {
      const cell = this.#shard.monitors.get(monitorId);
      if (!cell || cell.position !== n) continue;
      cell.queued += 1;
      // The record is written later, and again after a failure: as it is now.
      cell.own = null;
      this.#applied.changed.push({ monitor_id: monitorId, shard: this.#shard.shard, position: n, state: cell.state, outbox });
    }
    return this.#applied;
  }

  #tryTwice(monitorId: string, cell: MonitorCell | undefined, item: MonitorItem): boolean {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        this.#take(monitorId, cell, item);
        return true;
      } catch {
        // A rule is pure: the second try tells a passing fault (out of memory) from one that would stop the shard for ever.
      }
    }
    return false;
  }

  #addRow(monitorId: string, row: StoredResult): void {
    const cell = this.#shard.monitors.get(monitorId);
    if (cell) this.#rowsAt(cell, row.started_at).add(this.#entry.n, row, row);
  }

  #rowsAt(cell: MonitorCell, at: number): HourRows {
    const hour = hourOf(at);
    let rows = cell.hours.get(hour);
    if (!rows) cell.hours.set(hour, (rows = new HourRows(hour, this.#entry.n)));
    return rows;
  }

  #effectsOf(monitorId: string): MonitorEffect[] {
    let effects = this.#effects.get(monitorId);
    if (!effects) this.#effects.set(monitorId, (effects = []));
    return effects;
  }
}
