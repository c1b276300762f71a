import type { CheckResult } from '../../../shared/contracts/result.ts';
import { hourOf } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { applyItem, isAhead, newMonitorState } from '../../verdicts/monitor-rules.ts';
import type { JournaledPing, MonitorEffect, MonitorItem } from '../../verdicts/monitor-state.ts';
import { isRoutineResult, recordRoutineResult, writableCopy } from '../../verdicts/routine-result-rules.ts';
import { HourRows, rowsOf, type RowParts, type RowSource } from '../hours/hour-rows.ts';
import { overdueRow, pingRow } from '../hours/ping-rows.ts';
import type { StoredResult } from '../hours/stored-result.ts';
import type { ClockDecision, JournalEntry } from '../journal/journal-store.ts';
import type { LanePosition, StateRecord } from './records.ts';
import { newLiveMonitor, replaceRows, type LiveMonitor } from './live-monitor.ts';

/** A result that is new in an entry. */
export interface FreshResult {
  config: MonitorConfig;
  region: string;
  probe_id: string;
  epoch: string;
  engine: string;
  /** It arrived too late to affect the verdict. */
  late: boolean;
  /** When the journal recorded it, Unix ms. */
  received_at: number;
  result: CheckResult;
}

/** The common fields of a batch's results, in one shared object. */
export type BatchSource = Omit<FreshResult, 'config' | 'result' | 'received_at'> & RowSource & {
  /** The results are history only. */
  muted: true | undefined;
};

/** An item that had no effect because a rule threw for it twice. `fresh`: the result, if it was one. */
export interface FailedItem {
  monitor_id: string;
  item: MonitorItem;
  fresh: FreshResult | null;
}

export interface AppliedEntry {
  /** State documents to write, with their effects. */
  changed: StateRecord[];
  fresh: FreshResult[];
  failed: FailedItem[];
  /** Lanes that their probes lost by opening further ones. */
  dropped: Required<LanePosition>[];
}

/** What an entry changes: states, the results of hours, or both. */
export type Applies = 'all' | 'states' | 'rows';

/** The monitors that an entry is applied to. */
interface ShardMonitors {
  readonly shard: number;
  readonly monitors: Map<string, LiveMonitor>;
}

/** Applies one entry to its monitors. */
export class EntryStep {
  readonly #shard: ShardMonitors;
  readonly #entry: JournalEntry;
  readonly #applies: Applies;
  readonly #effects = new Map<string, MonitorEffect[]>();
  /** Withdrawn effects per monitor. */
  readonly #omitted = new Map<string, number>();
  readonly #touched = new Set<LiveMonitor>();
  readonly #applied: AppliedEntry = { changed: [], fresh: [], failed: [], dropped: [] };

  constructor(shard: ShardMonitors, entry: JournalEntry, applies: Applies) {
    this.#applies = applies;
    this.#shard = shard;
    this.#entry = entry;
  }

  config(config: MonitorConfig): void {
    if (this.#applies === 'rows') return;
    const id = config.monitor_id;
    const item: MonitorItem = { kind: 'config', config };
    try {
      if (!this.#shard.monitors.has(id)) {
        this.#shard.monitors.set(id, newLiveMonitor(newMonitorState(config), this.#entry.n - 1));
      }
    } catch {
      this.#applied.failed.push({ monitor_id: id, item, fresh: null });
      return;
    }
    this.#effectsOf(id);
    this.item(id, item);
  }

  clock(decision: ClockDecision): void {
    if (this.#applies === 'rows' && decision.kind !== 'overdue') return;
    switch (decision.kind) {
      case 'hour':
        for (const id of this.#shard.monitors.keys()) this.item(id, decision);
        break;
      case 'unwatched':
        for (const [id, { state }] of this.#shard.monitors) if (state.heartbeat) this.item(id, decision);
        break;
      case 'overdue':
        // The decision was made without a ping or change in the same entry, which voids it.
        if (![...this.#entry.pings, ...this.#entry.configs].some(
          (other) => other.monitor_id === decision.monitor_id,
        )) {
          this.item(decision.monitor_id, decision, overdueRow(decision.at));
        }
        break;
      case 'silent': case 'assigned': case 'witness': case 'alone': case 'no_data':
      case 'maintenance': case 'manual_end': case 'reopen': case 'due':
        this.item(decision.monitor_id, decision);
        break;
      case 'watched':
    }
  }

  ping(ping: JournaledPing): void {
    this.item(ping.monitor_id, { kind: 'ping', ping }, pingRow(ping));
  }

  result(source: BatchSource, result: CheckResult): void {
    const monitor = this.#shard.monitors.get(result.monitor_id);
    if (!monitor) return;
    const { region, probe_id, epoch, engine, late, muted } = source;
    const fresh: FreshResult = {
      config: monitor.state.config, region, probe_id, epoch, engine, late,
      received_at: this.#entry.taken_at, result,
    };
    this.#applied.fresh.push(fresh);
    const item: MonitorItem = { kind: 'result', region, probe_id, engine, result, late };
    const isStored = this.#addRow(monitor, source, result);
    // A time dated ahead would outrank results that are really newer.
    const isHistory = muted === true || (late && isAhead(result, this.#entry.taken_at));
    if (!isStored || (!isHistory && !this.#attemptTwice(result.monitor_id, monitor, item))) {
      this.#applied.failed.push({ monitor_id: result.monitor_id, item, fresh });
    }
  }

  /** A failing item is set aside for its monitor only. `row`: its row in the hour. */
  item(monitorId: string, item: MonitorItem, row: StoredResult | null = null): void {
    const monitor = this.#shard.monitors.get(monitorId);
    const hasRow = row === null || !monitor || this.#addRow(monitor, row, row);
    if (!hasRow || !this.#attemptTwice(monitorId, monitor, item)) {
      this.#applied.failed.push({ monitor_id: monitorId, item, fresh: null });
    }
  }

  #take(monitorId: string, monitor: LiveMonitor | undefined, item: MonitorItem): void {
    // A document at or past this entry includes it already; only its rows must be collected again.
    if (!monitor || this.#applies === 'rows' || this.#entry.n <= monitor.position) return;
    const effects = this.#effects.size > 0 ? this.#effects.get(monitorId) : undefined;
    const omitted = this.#omitted.size > 0 ? this.#omitted.get(monitorId) ?? 0 : 0;
    const place = { n: this.#entry.n, index: (effects?.length ?? 0) + omitted };
    if (item.kind === 'result' && item.result.outcome === 'success' && isRoutineResult(monitor.state, item, place)) {
      if (monitor.own !== monitor.state) monitor.state = monitor.own = writableCopy(monitor.state);
      recordRoutineResult(monitor.state, item);
      this.#touched.add(monitor);
      return;
    }
    const step = applyItem(monitor.state, item, place);
    if (step.omitted > 0) this.#omitted.set(monitorId, omitted + step.omitted);
    if (step.state === monitor.state && step.effects.length === 0) return;
    monitor.state = step.state;
    this.#touched.add(monitor);
    if (step.effects.length > 0) this.#effectsOf(monitorId).push(...step.effects);
  }

  finish(): AppliedEntry {
    const { n } = this.#entry;
    for (const monitor of this.#touched) {
      monitor.position = n;
      monitor.unsavedFrom ??= n;
    }
    for (const [monitorId, outbox] of this.#effects) {
      const monitor = this.#shard.monitors.get(monitorId);
      if (!monitor || monitor.position !== n) continue;
      monitor.queued += 1;
      // The record is written later, perhaps twice, and must not change until then.
      monitor.own = null;
      this.#applied.changed.push({
        monitor_id: monitorId, shard: this.#shard.shard, position: n, state: monitor.state, outbox,
      });
    }
    return this.#applied;
  }

  #attemptTwice(monitorId: string, monitor: LiveMonitor | undefined, item: MonitorItem): boolean {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        this.#take(monitorId, monitor, item);
        return true;
      } catch {
        // Rules are pure, so a second attempt distinguishes a transient fault (out of memory) from a
        // permanent one.
      }
    }
    return false;
  }

  /** False if the row cannot be stored. */
  #addRow(monitor: LiveMonitor, source: RowSource, row: RowParts): boolean {
    if (this.#applies === 'states') return true;
    const hour = hourOf(row.started_at);
    const existing = rowsOf(monitor, hour);
    const rows = existing ?? new HourRows(hour, this.#entry.n);
    try {
      rows.add(this.#entry.n, source, row);
    } catch {
      return false;
    }
    if (!existing) replaceRows(monitor, hour, rows);
    return true;
  }

  #effectsOf(monitorId: string): MonitorEffect[] {
    let effects = this.#effects.get(monitorId);
    if (!effects) this.#effects.set(monitorId, (effects = []));
    return effects;
  }
}
