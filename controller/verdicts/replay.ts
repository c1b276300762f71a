import type { CheckResult } from '../../shared/contracts/result.ts';
import type { MonitorConfig } from './monitor-config.ts';
import { applyDecided, applyItem, newMonitorState } from './monitor-rules.ts';
import type { JournaledPing, MonitorEffect, MonitorItem, MonitorState } from './monitor-state.ts';
import { instantOf, releaseAt } from './notices/held-alert-rules.ts';
import { reopenAt } from './status/reopen-rules.ts';
import { ACCEPT_MINORITY_AFTER_MS, needsMoreVotes, noDataAt, type Move } from './status/status-rules.ts';
import { nextMaintenanceChangeAt } from './time-accounting/maintenance-rules.ts';
import { HOUR_GRACE_MS, HOUR_MS, hourOf } from './time-accounting/time-accounting-rules.ts';
import { regionSilentAfterMs } from './votes/region-rules.ts';

/** The fields of a stored result that the rules read. */
export type ReplayedResult =
  Pick<CheckResult, 'scheduled_at' | 'started_at' | 'outcome' | 'degraded' | 'reason' | 'attempt'
    | 'response_time_ms' | 'status_code' | 'error' | 'missed'>
  & { region: string; probe_id: string; late: boolean };

/** What one item did at `at`, Unix ms. */
export interface ReplayedStep {
  at: number;
  /** When the item happened, Unix ms; null if it is not about the present. */
  instant: number | null;
  before: MonitorState;
  state: MonitorState;
  effects: MonitorEffect[];
}

/** What is known from elsewhere, because results do not contain it. */
type Known = Partial<Pick<MonitorState, 'addresses' | 'certificate'>> & {
  /** As in `noDataAt`, ms. */
  noDataAfterMs?: number;
};

/**
 * Replays the history of a monitor under another configuration with the production rules, and makes the
 * decisions that depend on time only. Witness votes and quarantines are not stored and cannot be replayed.
 */
export class Replay {
  readonly #onStep: (step: ReplayedStep) => void;
  readonly #noDataAfterMs: number;
  #state: MonitorState;
  #n = 0;
  #shortSince: number | null = null;
  #now: number;
  /** Results of regions that voted before make nothing due earlier than this, Unix ms. */
  #nothingDueBefore = 0;

  /** `from`: Unix ms. The monitor is active, whatever `config` says. */
  constructor(
    config: MonitorConfig, from: number, onStep: (step: ReplayedStep) => void,
    { noDataAfterMs = Infinity, ...known }: Known = {},
  ) {
    this.#onStep = onStep;
    this.#noDataAfterMs = noDataAfterMs;
    this.#state = { ...newMonitorState({ ...config, status: 'active', changed_at: from }), ...known };
    this.#now = from;
  }

  get state(): MonitorState {
    return this.#state;
  }

  /** Adds a result that was received at `at`, Unix ms. */
  add({ region, probe_id, late, ...row }: ReplayedResult, at = row.started_at): void {
    this.advanceTo(at);
    const { monitor_id, check_revision: assignment_rev } = this.#state.config;
    const rest = { seq: 0, timings: null, remote_address: null, tls: null, detail: null };
    const result = { monitor_id, assignment_rev, ...rest, ...row };
    this.#apply({ kind: 'result', region, probe_id, engine: '', result, late }, at);
  }

  /** Records good results of regions that are up, by region the start of the latest, and nothing else. */
  addGood(latest: ReadonlyMap<string, number>): void {
    const { regions } = this.#state;
    const seen = [...latest].flatMap(([name, at]) => {
      const region = regions[name];
      return region ? [[name, { ...region, last_at: Math.max(at, region.last_at ?? 0) }] as const] : [];
    });
    const last = Math.max(this.#state.last_check_at ?? 0, ...latest.values());
    const changed = { ...regions, ...Object.fromEntries(seen) };
    this.#state = { ...this.#state, regions: changed, last_check_at: last, last_success_at: last };
    this.#now = Math.max(this.#now, last);
  }

  /** These regions have the monitor from `at` on, Unix ms. */
  assign(assigned: string[], at: number): void {
    this.advanceTo(at);
    this.#apply({ kind: 'assigned', assigned, domains: this.#state.config.domains ?? null, at }, at);
  }

  /** Adds a ping of a heartbeat monitor, or that none arrived in time. */
  addPing({ kind, at }: Pick<JournaledPing, 'at'> & { kind: JournaledPing['kind'] | 'overdue' }): void {
    this.advanceTo(at);
    const { monitor_id, heartbeat: settings } = this.#state.config;
    const { heartbeat } = this.#state;
    if (kind !== 'overdue') {
      const ping = { id: '', monitor_id, kind, exit_code: null, at, run_ms: null };
      this.#apply({ kind: 'ping', ping }, at);
    } else if (heartbeat && settings) {
      // The schedule of that time decided that it was.
      const { lost_until: _lost, ...known } = heartbeat;
      this.#state = { ...this.#state, heartbeat: { ...known, deadline: Math.min(heartbeat.deadline, at) } };
      this.#apply({ kind: 'overdue', at }, at);
    }
  }

  /** The status changed at `at` (Unix ms), as was decided at an item of `instant`. */
  move(move: Move, instant: number, at: number): void {
    this.advanceTo(at);
    this.#n += 1;
    this.#nothingDueBefore = 0;
    const before = this.#state;
    const { state, effects } = applyDecided(before, move, instant, { n: this.#n, index: 0 });
    this.#finish({ at, instant, before, state, effects });
  }

  /** The outage continued after a person ended its incident, so that another one opened. */
  reopen(at: number): void {
    this.advanceTo(at);
    this.#apply({ kind: 'reopen', at }, at);
  }

  /** Something of `instant` (Unix ms) was received at `at`, so that held alerts may be due. */
  see(instant: number, at: number): void {
    this.advanceTo(at);
    const { flaps, withheld } = this.#state;
    if (flaps !== null || withheld !== null) this.#apply({ kind: 'maintenance', at: instant }, at);
  }

  /** A person ended the incident of the ongoing outage, if there is one. */
  endIncident(at: number): void {
    this.advanceTo(at);
    const { outage } = this.#state;
    if (outage) this.#apply({ kind: 'manual_end', incident_id: outage.incident_id, at }, at);
  }

  /** A person paused or resumed the monitor. */
  setActive(isActive: boolean, at: number): void {
    this.advanceTo(at);
    const status = isActive ? 'active' : 'paused';
    if (this.#state.config.status === status) return;
    const { config } = this.#state;
    const changed = { ...config, status, changed_at: at, revision: config.revision + 1 } as const;
    this.#apply({ kind: 'config', config: changed }, at);
  }

  /** Makes the decisions due by `now` (Unix ms): on silence, minorities, maintenance, reopened incidents. */
  advanceTo(now: number): void {
    while (now >= this.#nothingDueBefore) {
      const { at, item } = this.#nextDue();
      this.#nothingDueBefore = at;
      if (item === null || at > now) break;
      const before = this.#state;
      this.#apply(item, Math.max(at, this.#now));
      // A rule that disagrees about what is due must not repeat it forever.
      if (this.#state === before) break;
    }
    this.#now = Math.max(this.#now, now);
  }

  #nextDue(): { at: number; item: MonitorItem | null } {
    const { config, regions, flaps, withheld } = this.#state;
    let next: { at: number; item: MonitorItem | null } = { at: Infinity, item: null };
    if (config.status !== 'active') return next;
    const consider = (at: number | null, itemOf: (at: number) => MonitorItem) => {
      if (at !== null && at < next.at) next = { at, item: itemOf(at) };
    };
    if (this.#shortSince !== null) {
      consider(this.#shortSince + ACCEPT_MINORITY_AFTER_MS, (at) => ({ kind: 'alone', at }));
    }
    const silentAfterMs = regionSilentAfterMs(config);
    for (const region in regions) {
      const { verdict = 'unknown', last_at: lastAt = null } = regions[region] ?? {};
      if (verdict === 'unknown' || lastAt === null) continue;
      consider(lastAt + silentAfterMs, () => ({ kind: 'silent', region, at: lastAt + config.interval_ms }));
    }
    consider(reopenAt(this.#state, 0), (at) => ({ kind: 'reopen', at }));
    consider(noDataAt(this.#state, this.#noDataAfterMs, 0), (at) => ({ kind: 'no_data', at }));
    if (config.maintenance?.length) {
      const changeAt = nextMaintenanceChangeAt(this.#state, this.#now);
      for (const at of [releaseAt(this.#state), changeAt]) {
        consider(at, () => ({ kind: 'maintenance', at: Math.max(at ?? 0, this.#now) }));
      }
    }
    if (flaps !== null || withheld !== null) {
      const until = hourOf(this.#now - HOUR_GRACE_MS) + HOUR_MS;
      consider(until + HOUR_GRACE_MS, () => ({ kind: 'hour', until }));
    }
    return next;
  }

  #apply(item: MonitorItem, at: number): void {
    this.#n += 1;
    this.#now = Math.max(this.#now, at);
    const before = this.#state;
    const { state, effects } = applyItem(before, item, { n: this.#n, index: 0 });
    this.#finish({ at, instant: instantOf(item), before, state, effects });
    if (state.minority_accepted || !needsMoreVotes(state)) this.#shortSince = null;
    else this.#shortSince ??= at;
    const name = item.kind === 'result' && effects.length === 0 ? item.region : null;
    const verdictIn = ({ regions }: MonitorState) => regions[name ?? '']?.verdict;
    const isSameVote = name !== null && verdictIn(before) === verdictIn(state);
    const isChanged = !isSameVote || before.status !== state.status;
    if (isChanged || this.#shortSince !== null) this.#nothingDueBefore = 0;
  }

  #finish(step: ReplayedStep): void {
    // Times by hour would be copied with each change, and nobody reads them here.
    this.#state = { ...step.state, accounted: {}, maintained: null };
    this.#onStep({ ...step, state: this.#state });
  }
}
