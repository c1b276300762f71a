import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { Assigned, MonitorState } from '../../verdicts/monitor-state.ts';
import { hourOf } from '../../verdicts/booking-rules.ts';
import { maintenanceTurnsAt } from '../../verdicts/maintenance-history-rules.ts';
import { noDataAt } from '../../verdicts/no-data-rules.ts';
import { regionPatienceMs } from '../../verdicts/region-rules.ts';
import { reopenAt } from '../../verdicts/reopen-rules.ts';
import { releaseAt } from '../../verdicts/withheld-alert-rules.ts';
import { HOUR_GRACE_MS } from '../writing/closed-hours.ts';
import { dueAt, HeartbeatWatch, isWaiting } from './heartbeat-watch.ts';
import type { ClockDecision, JournalEntry } from '../journal/journal-entry.ts';
import { LoneVotes } from './lone-votes.ts';
import { LookQueue } from './look-queue.ts';
import { CYCLE_ROUNDS, MonitorWalk } from './monitor-walk.ts';
import type { AppliedEntry } from '../state/entry-step.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { ShardState } from '../state/shard-state.ts';

/** How often each shard checks its deadlines. */
export const ROUND_MS = 5000;
/** Longer than a cycle, so that the queue holds every monitor that is due before the walk is back at it. */
const ROUNDS_AHEAD = 2 * CYCLE_ROUNDS;
/** A loaded shard is examined as a whole within this many rounds, before PROBE_ROUND_MS have passed. */
const FIRST_ROUNDS = 8;
/** Limit of decisions per round; the rest follows in the next. */
const MOST_DECISIONS = 500;
/** A probe that has died is known to be offline within this time, ms. */
const DOUBTED_AGAIN_MS = 3 * ROUND_MS;
/** After a break, each live probe tries again within this time: at most 30 s plus the wait for an answer. */
const PROBE_ROUND_MS = 45_000;

export interface ShardClockDeps {
  /** Ms. What waits for seconds goes by it: the wall clock may be set meanwhile. */
  monotonic(): number;
  /** A rule threw for this monitor; called once for each. */
  onFailed(monitorId: string, now: number): void;
  /** The regions that have the monitor now; null while that is not known. */
  assigned(config: MonitorConfig): Assigned | null;
  /** False while a probe is in quarantine. */
  hasVote(probeId: string): boolean;
  /** Whether a probe of the region is online. */
  hasLiveProbe(region: string): boolean;
  /** Whether a region may have a say in time that has none in the monitor's verdict now. */
  canBeHelped(state: MonitorState): boolean;
  /** As in `noDataAt`, ms. */
  noDataAfterMs: number;
}

/**
 * What time alone decides for one shard: a region fell silent, a monitor has been without data for long, a
 * heartbeat is overdue, an hour has ended. A round examines monitors that are due and a share of all others,
 * in steps, so that other work waits no longer when there are more of them.
 */
export class ShardClock {
  readonly #state: ShardState;
  readonly #deps: ShardClockDeps;
  readonly #watch = new HeartbeatWatch();
  readonly #queue = new LookQueue(ROUNDS_AHEAD);
  readonly #lone: LoneVotes;
  readonly #walk: MonitorWalk<LiveMonitor>;
  readonly #waiting = new Set<string>();
  /** Monitors without decisions, because a rule threw for them. */
  readonly #unclocked = new Set<string>();
  /** Monitors for which this round has made a decision. */
  readonly #decided = new Set<string>();
  /** Since when everything pending was taken without a break, Unix ms; silence counts from here. */
  #watchedSince: number;
  #hourClosed = 0;
  /** Left in this round: monitors for the walk, and decisions. */
  #toWalk = 0;
  #room = 0;

  constructor(state: ShardState, now: number, deps: ShardClockDeps) {
    this.#state = state;
    this.#deps = deps;
    this.#walk = new MonitorWalk(state.monitors);
    this.#lone =
      new LoneVotes(state.monitors, (monitor) => deps.canBeHelped(monitor), () => deps.monotonic());
    this.#watchedSince = now;
    // The walk takes a cycle, so the queue has to find what is due before. No region is silent at first.
    for (const [id, cell] of state.monitors) {
      if (isWaiting(cell.state)) this.#waiting.add(id);
      if (cell.state.config.status === 'active') {
        this.#queue.put(id, this.#waiting.has(id) ? 1 : 1 + (this.#queue.size % FIRST_ROUNDS));
      }
    }
  }

  /** Silence up to now does not count. */
  interrupted(now: number): void {
    this.#watchedSince = now;
    this.#watch.interrupted(this.#state.takenAt);
    this.#lone.interrupted();
    this.#toWalk = 0;
    this.#room = 0;
  }

  /** All pings stored by `at` (Unix ms) are taken. */
  lookedForPings(at: number): void {
    this.#watch.looked(at);
  }

  /** When those that report will be believed although too few, monotonic ms; null if there are none. */
  get aloneAt(): number | null {
    return this.#lone.dueAt;
  }

  /** Decisions about monitors that too few regions have called down for long enough. */
  takeAlone(now: number): ClockDecision[] {
    return this.#lone.takeDue(now);
  }

  /** Monitors that an entry changed may be due sooner. */
  applied(entry: JournalEntry, { changed, fresh }: Pick<AppliedEntry, 'changed' | 'fresh'>): void {
    for (const { result } of fresh) {
      if (result.outcome === 'failure') this.#lone.note(result.monitor_id);
    }
    for (const decision of entry.clock) {
      if (decision.kind === 'manual_end') this.#queue.put(decision.monitor_id, 1);
      if (decision.kind === 'hour') this.#hourClosed = Math.max(this.#hourClosed, decision.until);
    }
    for (const { monitor_id: id } of entry.configs) {
      const state = this.#state.monitors.get(id)?.state;
      if (state && isWaiting(state)) this.#waiting.add(id);
      else this.#waiting.delete(id);
    }
    for (const touched of [entry.configs, entry.pings, changed]) {
      for (const { monitor_id: id } of touched) this.#queue.put(id, 1);
    }
  }

  /** Decisions about the whole shard. `mayCloseHour`: shards take turns, as it books all their monitors. */
  beginRound(now: number, mayCloseHour: boolean): ClockDecision[] {
    this.#decided.clear();
    this.#queue.turn();
    this.#toWalk = this.#walk.quota;
    this.#room = MOST_DECISIONS;
    const decisions =
      this.#watch.beginRound({ takenAt: this.#state.takenAt, now, hasWaiting: this.#waiting.size > 0 });
    const hour = hourOf(now - HOUR_GRACE_MS);
    if (mayCloseHour && hour > this.#hourClosed) {
      this.#hourClosed = hour;
      decisions.push({ kind: 'hour', until: hour });
    }
    return decisions;
  }

  /**
   * Examines up to `most` monitors that are left in this round. `hasPings`: pings are on their way into the
   * journal, and until it has them no heartbeat is overdue.
   * @returns the decisions, and how many monitors were examined.
   */
  look(now: number, most: number, hasPings: boolean): { decisions: ClockDecision[]; looks: number } {
    const decisions: ClockDecision[] = [];
    let looks = 0;
    for (; looks < most && this.#room > 0; looks += 1) {
      const id = this.#queue.take() ?? this.#next();
      if (id === null) break;
      const cell = this.#state.monitors.get(id);
      if (!cell || this.#decided.has(id)) continue;
      const found = this.#decide(id, cell.state, { now, hasPings });
      if (found.length > 0) this.#decided.add(id);
      this.#room -= found.length;
      for (const decision of found) decisions.push(decision);
    }
    return { decisions, looks };
  }

  #next(): string | null {
    while (this.#toWalk > 0) {
      this.#toWalk -= 1;
      const met = this.#walk.next();
      if (met) return met[0];
      // At the end of a cycle, a shard that fits into one round is not walked a second time.
      if (this.#state.monitors.size <= this.#walk.quota) this.#toWalk = 0;
    }
    return null;
  }

  /** A monitor whose rule throws gets no decisions and does not hold up the others. */
  #decide(
    id: string, state: MonitorState, { now, hasPings }: { now: number; hasPings: boolean },
  ): ClockDecision[] {
    try {
      this.#lone.note(id);
      const { due, at } = this.#silences(id, state, now);
      due.push(...this.#reassigned(state, now));
      const tellAt = noDataAt(state, this.#deps.noDataAfterMs, this.#watchedSince) ?? Infinity;
      if (tellAt <= now) due.push({ kind: 'no_data', monitor_id: id, at: now });
      const againAt = reopenAt(state, this.#watchedSince) ?? Infinity;
      if (againAt <= now) due.push({ kind: 'reopen', monitor_id: id, at: now });
      const turnsAt = Math.min(releaseAt(state) ?? Infinity, maintenanceTurnsAt(state, now) ?? Infinity);
      if (turnsAt <= now) due.push({ kind: 'maintenance', monitor_id: id, at: now });
      const found = hasPings ? due : [...due, ...this.#watch.overdue(state)];
      const next = Math.min(at, tellAt, againAt, turnsAt, dueAt(state) ?? Infinity);
      this.#lookAgain(id, found.length > 0 ? 0 : next - now);
      return found;
    } catch {
      if (!this.#unclocked.has(id)) this.#deps.onFailed(id, now);
      this.#unclocked.add(id);
      return [];
    }
  }

  /** A monitor that is due after the walk reaches it again need not be queued. */
  #lookAgain(id: string, inMs: number): void {
    const rounds = inMs / ROUND_MS;
    if (rounds <= ROUNDS_AHEAD) this.#queue.put(id, rounds);
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
    const silentAfterMs = regionPatienceMs(config);
    const notBefore = this.#watchedSince + Math.max(silentAfterMs, PROBE_ROUND_MS);
    const isDoubted = isCalledDown(state) && now >= this.#watchedSince + PROBE_ROUND_MS;
    for (const { region, lastAt, probeId, verdict } of wordsIn(state)) {
      if (probeId !== null && !this.#deps.hasVote(probeId)) {
        due.push({ kind: 'silent', monitor_id: id, region, at: now, reason: 'quarantined' });
        continue;
      }
      // What was seen before the failure may not outvote it when nobody is there to look again.
      if (isDoubted && verdict === 'up') {
        if (!this.#deps.hasLiveProbe(region)) {
          due.push({ kind: 'silent', monitor_id: id, region, at: now, reason: 'no_live_probe' });
          continue;
        }
        at = Math.min(at, now + DOUBTED_AGAIN_MS);
      }
      const silentAt = Math.max(notBefore, lastAt + silentAfterMs);
      if (silentAt <= now) {
        due.push({ kind: 'silent', monitor_id: id, region, at: lastAt + config.interval_ms });
      } else at = Math.min(at, silentAt);
    }
    return { due, at };
  }
}

interface Word {
  region: string;
  verdict: 'up' | 'down';
  /** Unix ms. */
  lastAt: number;
  probeId: string | null;
}

/** Some region says "down", and is outvoted. */
function isCalledDown({ status, regions }: MonitorState): boolean {
  return status !== 'down' && Object.values(regions).some(({ verdict }) => verdict === 'down');
}

/** The words that count until they are old: of regions that have the monitor, and of those asked. */
function wordsIn({ regions, witnesses }: MonitorState): Word[] {
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
