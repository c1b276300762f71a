import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { Assigned, MonitorState } from '../../verdicts/monitor-state.ts';
import { HOUR_GRACE_MS, hourOf } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import { nextMaintenanceChangeAt } from '../../verdicts/time-accounting/maintenance-rules.ts';
import { noDataAt } from '../../verdicts/status/status-rules.ts';
import { isOutvotedDown, regionSilentAfterMs } from '../../verdicts/votes/region-rules.ts';
import { reopenAt } from '../../verdicts/status/reopen-rules.ts';
import { releaseAt } from '../../verdicts/notices/held-alert-rules.ts';
import { dueAt, HeartbeatTracker, isAwaitingPings } from './heartbeat-tracker.ts';
import type { ClockDecision, JournalEntry } from '../journal/journal-store.ts';
import { MinorityVerdicts, ScanQueue } from './due-monitors.ts';
import { SCANS_PER_CYCLE, MonitorWalk } from './monitor-walk.ts';
import type { AppliedEntry } from '../state/entry-step.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { ShardState } from '../state/shard-state.ts';

/** How often each shard checks its deadlines. */
export const SCAN_INTERVAL_MS = 5000;
/** Longer than a cycle, so that the queue holds every monitor due before the walk returns to it. */
const MAX_SCANS_AHEAD = 2 * SCANS_PER_CYCLE;
/** A loaded shard is examined completely within this many scans, before MAX_PROBE_RETRY_MS have passed. */
const INITIAL_SCANS = 8;
/** Limit of decisions per scan; the rest follows in the next. */
const MAX_DECISIONS_PER_SCAN = 500;
/** A dead probe is known to be offline within this time, ms. */
const DOUBT_AGAIN_MS = 3 * SCAN_INTERVAL_MS;
/** After an interruption, each live probe retries within this time: at most 30 s plus the response time. */
const MAX_PROBE_RETRY_MS = 45_000;

export interface ShardClockDeps {
  /** Ms. For waits of seconds, because the wall clock may be set meanwhile. */
  monotonic(): number;
  /** A rule threw for this monitor. Called once per monitor. */
  onFailed(monitorId: string, now: number): void;
  /** The regions that currently have the monitor; null if unknown. */
  assigned(config: MonitorConfig): Assigned | null;
  /** False while a probe is in quarantine. */
  hasVote(probeId: string): boolean;
  /** Whether a probe of the region is online. */
  hasLiveProbe(region: string): boolean;
  /** Whether a region that does not count in the current verdict may still vote in time. */
  canGetMoreVotes(state: MonitorState): boolean;
  /** As in `noDataAt`, ms. */
  noDataAfterMs: number;
}

/**
 * Time-based decisions of one shard: silent regions, monitors without data, overdue heartbeats, completed
 * hours. A scan examines the due monitors and a share of all others, in steps of bounded size.
 */
export class ShardClock {
  readonly #state: ShardState;
  readonly #deps: ShardClockDeps;
  readonly #heartbeats = new HeartbeatTracker();
  readonly #queue = new ScanQueue(MAX_SCANS_AHEAD);
  readonly #minority: MinorityVerdicts;
  readonly #walk: MonitorWalk<LiveMonitor>;
  readonly #waiting = new Set<string>();
  /** Monitors without decisions, because a rule threw for them. */
  readonly #unclocked = new Set<string>();
  /** Monitors for which this scan has made a decision. */
  readonly #decided = new Set<string>();
  /** Since when all input was processed without interruption, Unix ms. Silence counts from here. */
  #monitoredSince: number;
  #hourClosed = 0;
  /** What remains of this scan: monitors to walk, and decisions to make. */
  #toWalk = 0;
  #room = 0;

  constructor(state: ShardState, now: number, deps: ShardClockDeps) {
    this.#state = state;
    this.#deps = deps;
    this.#walk = new MonitorWalk(state.monitors);
    this.#minority = new MinorityVerdicts(
      state.monitors, (monitor) => deps.canGetMoreVotes(monitor), () => deps.monotonic(),
    );
    this.#monitoredSince = now;
    // The walk takes a cycle, so monitors due earlier are queued. No region is silent at first.
    for (const [id, monitor] of state.monitors) {
      if (isAwaitingPings(monitor.state)) this.#waiting.add(id);
      if (monitor.state.config.status === 'active') {
        this.#queue.put(id, this.#waiting.has(id) ? 1 : 1 + (this.#queue.size % INITIAL_SCANS));
      }
    }
  }

  /** Silence until `now` does not count. */
  interrupted(now: number): void {
    this.#monitoredSince = now;
    this.#heartbeats.interrupted(this.#state.takenAt);
    this.#minority.interrupted();
    this.#toWalk = 0;
    this.#room = 0;
  }

  /** All pings stored by `at` (Unix ms) were read. */
  pingsPolled(at: number): void {
    this.#heartbeats.polled(at);
  }

  /** When the next minority verdict is accepted, monotonic ms; null without any. */
  get minorityDueAt(): number | null {
    return this.#minority.dueAt;
  }

  /** Decisions about monitors that too few regions have reported as down for long enough. */
  takeMinorityVerdicts(now: number): ClockDecision[] {
    return this.#minority.takeDue(now);
  }

  /** Monitors that an entry changed may be due earlier. */
  applied(entry: JournalEntry, { changed, fresh }: Pick<AppliedEntry, 'changed' | 'fresh'>): void {
    for (const { result } of fresh) {
      if (result.outcome === 'failure') this.#minority.note(result.monitor_id);
    }
    for (const decision of entry.clock) {
      if (decision.kind === 'manual_end') this.#queue.put(decision.monitor_id, 1);
      if (decision.kind === 'hour') this.#hourClosed = Math.max(this.#hourClosed, decision.until);
    }
    for (const { monitor_id: id } of entry.configs) {
      const state = this.#state.monitors.get(id)?.state;
      if (state && isAwaitingPings(state)) this.#waiting.add(id);
      else this.#waiting.delete(id);
    }
    for (const touched of [entry.configs, entry.pings, changed]) {
      for (const { monitor_id: id } of touched) this.#queue.put(id, 1);
    }
  }

  /**
   * Decisions about the whole shard. `mayCloseHour`: shards take turns, because this accounts all monitors.
   */
  beginScan(now: number, mayCloseHour: boolean): ClockDecision[] {
    this.#decided.clear();
    this.#queue.turn();
    this.#toWalk = this.#walk.quota;
    this.#room = MAX_DECISIONS_PER_SCAN;
    const decisions =
      this.#heartbeats.beginScan({ takenAt: this.#state.takenAt, now, hasWaiting: this.#waiting.size > 0 });
    const hour = hourOf(now - HOUR_GRACE_MS);
    if (mayCloseHour && hour > this.#hourClosed) {
      this.#hourClosed = hour;
      decisions.push({ kind: 'hour', until: hour });
    }
    return decisions;
  }

  /**
   * Examines up to `limit` of the monitors left in this scan. `hasPings`: unjournaled pings exist, so no
   * heartbeat is overdue yet.
   * @returns the decisions, and how many monitors were examined.
   */
  scan(now: number, limit: number, hasPings: boolean): { decisions: ClockDecision[]; scanned: number } {
    const decisions: ClockDecision[] = [];
    let scanned = 0;
    for (; scanned < limit && this.#room > 0; scanned += 1) {
      const id = this.#queue.take() ?? this.#next();
      if (id === null) break;
      const monitor = this.#state.monitors.get(id);
      if (!monitor || this.#decided.has(id)) continue;
      const found = this.#decide(id, monitor.state, { now, hasPings });
      if (found.length > 0) this.#decided.add(id);
      this.#room -= found.length;
      for (const decision of found) decisions.push(decision);
    }
    return { decisions, scanned };
  }

  #next(): string | null {
    while (this.#toWalk > 0) {
      this.#toWalk -= 1;
      const entry = this.#walk.next();
      if (entry) return entry[0];
      // At the end of a cycle, a shard that fits into one scan is not walked a second time.
      if (this.#state.monitors.size <= this.#walk.quota) this.#toWalk = 0;
    }
    return null;
  }

  /** A monitor whose rule throws gets no decisions and does not block the others. */
  #decide(
    id: string, state: MonitorState, { now, hasPings }: { now: number; hasPings: boolean },
  ): ClockDecision[] {
    try {
      this.#minority.note(id);
      const { due, at } = this.#silences(id, state, now);
      due.push(...this.#reassigned(state, now));
      const alertAt = noDataAt(state, this.#deps.noDataAfterMs, this.#monitoredSince) ?? Infinity;
      if (alertAt <= now) due.push({ kind: 'no_data', monitor_id: id, at: now });
      const reopensAt = reopenAt(state, this.#monitoredSince) ?? Infinity;
      if (reopensAt <= now) due.push({ kind: 'reopen', monitor_id: id, at: now });
      const maintenanceAt =
        Math.min(releaseAt(state) ?? Infinity, nextMaintenanceChangeAt(state, now) ?? Infinity);
      if (maintenanceAt <= now) due.push({ kind: 'maintenance', monitor_id: id, at: now });
      const found = hasPings ? due : [...due, ...this.#heartbeats.overdue(state)];
      const next = Math.min(at, alertAt, reopensAt, maintenanceAt, dueAt(state) ?? Infinity);
      this.#schedule(id, found.length > 0 ? 0 : next - now);
      return found;
    } catch {
      if (!this.#unclocked.has(id)) this.#deps.onFailed(id, now);
      this.#unclocked.add(id);
      return [];
    }
  }

  /** A monitor due after the walk returns to it need not be queued. */
  #schedule(id: string, inMs: number): void {
    const scans = inMs / SCAN_INTERVAL_MS;
    if (scans <= MAX_SCANS_AHEAD) this.#queue.put(id, scans);
  }

  #reassigned({ config, heartbeat }: MonitorState, now: number): ClockDecision[] {
    const found = heartbeat || config.status === 'deleted' ? null : this.#deps.assigned(config);
    if (!found || isSameAssigned(config, found)) return [];
    return [{ kind: 'assigned', monitor_id: config.monitor_id, ...found, at: now }];
  }

  /** Regions that are silent now, and when the next one will be, Unix ms. */
  #silences(
    id: string, state: MonitorState, now: number,
  ): { due: ClockDecision[]; at: number } {
    const due: ClockDecision[] = [];
    const { config } = state;
    let at = Infinity;
    if (config.status !== 'active') return { due, at };
    const silentAfterMs = regionSilentAfterMs(config);
    const notBefore = this.#monitoredSince + Math.max(silentAfterMs, MAX_PROBE_RETRY_MS);
    const isDoubted = isOutvotedDown(state) && now >= this.#monitoredSince + MAX_PROBE_RETRY_MS;
    for (const { region, lastAt, probeId, verdict } of votesIn(state)) {
      if (probeId !== null && !this.#deps.hasVote(probeId)) {
        due.push({ kind: 'silent', monitor_id: id, region, at: now, reason: 'quarantined' });
        continue;
      }
      // An "up" from before the failure may not outvote it once the region has no live probe to recheck.
      if (isDoubted && verdict === 'up') {
        if (!this.#deps.hasLiveProbe(region)) {
          due.push({ kind: 'silent', monitor_id: id, region, at: now, reason: 'no_live_probe' });
          continue;
        }
        at = Math.min(at, now + DOUBT_AGAIN_MS);
      }
      const silentAt = Math.max(notBefore, lastAt + silentAfterMs);
      if (silentAt <= now) {
        due.push({ kind: 'silent', monitor_id: id, region, at: lastAt + config.interval_ms });
      } else at = Math.min(at, silentAt);
    }
    return { due, at };
  }
}

interface RegionVote {
  region: string;
  verdict: 'up' | 'down';
  /** Unix ms. */
  lastAt: number;
  probeId: string | null;
}

/** The votes that expire: of regions that have the monitor, and of witnesses. */
function votesIn({ regions, witnesses }: MonitorState): RegionVote[] {
  const own = Object.entries(regions).flatMap(([region, { verdict, last_at: lastAt, probe_id: probeId }]) =>
    (verdict === 'unknown' || lastAt === null ? [] : [{ region, lastAt, probeId, verdict }]));
  const others = Object.entries(witnesses ?? {});
  return [...own, ...others.map(
    ([region, { at, probe_id, vote }]) => ({ region, lastAt: at, probeId: probe_id, verdict: vote }),
  )];
}

function isSameAssigned({ assigned, domains }: MonitorConfig, found: Assigned): boolean {
  const networks = Object.entries(found.domains ?? {});
  return found.assigned.length === assigned?.length
    && found.assigned.every((region, index) => region === assigned[index])
    && networks.length === Object.keys(domains ?? {}).length
    && networks.every(([region, network]) => domains?.[region] === network);
}
