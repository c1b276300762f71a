import type {
  LateHistory, LateOutage, LateRun, MonitorItem, MonitorState, Outage, RegionOutage, RegionState, ResultItem,
} from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import {
  accountUntil, lateHistory, moveTime, statusHoldMs, unmonitoredParts, withoutGap,
} from '../time-accounting/time-accounting-rules.ts';
import { assignedRegions, isAssigned, requiredOfAllRegions, votesOf } from '../votes/quorum-rules.ts';
import { isOfCurrentCheck, NEW_REGION, regionSilentAfterMs } from '../votes/region-rules.ts';

/** Probes whose late results are tracked concurrently. */
const MAX_RUNS = 8;
/** Late outages remembered per monitor. */
const MAX_FOUND_OUTAGES = 16;

/**
 * Reports outages that only late results show: enough regions had more consecutive failures than the monitor
 * has retries, then a success. For unmonitored time, each opens and resolves an incident without an alert.
 * Waits until the time is accounted, so that results may arrive in any order.
 */
export function reportLateOutages(step: MonitorStep, item: MonitorItem): void {
  const history = lateHistory(step.state);
  if (item.kind === 'result' && item.late) step.state = recordLateResult(step.state, item);
  const { config, accounted_until: accountedUntil } = step.state;
  const { found } = lateHistory(step.state);
  if (found.length === 0) return;
  const over = found.filter(({ until }) => until <= accountedUntil);
  if (found === history.found && !over.some(({ until }) => until > step.before.accounted_until)) return;
  const voters = { config, regions: reportingRegions(step.state) };
  for (const range of agreedRanges(voters, over)) reportIfUnmonitored(step, range);
  // If one vote suffices, no outage has to wait for another region.
  if (requiredOfAllRegions(voters) > 1) return;
  const waiting = found.filter(({ until }) => until > accountedUntil);
  step.state = { ...step.state, late: { ...lateHistory(step.state), found: waiting } };
}

/** All reporting regions, including those with late results only. */
function reportingRegions(state: MonitorState): MonitorState['regions'] {
  const { runs, found } = lateHistory(state);
  const late = [...Object.values(runs), ...found].map(({ region }) => [region, NEW_REGION]);
  return { ...Object.fromEntries(late), ...state.regions };
}

/** Adds a late result to its probe's run of failures. A gap between results starts a new run. */
function recordLateResult(
  state: MonitorState, { result, region, probe_id: probeId }: ResultItem,
): MonitorState {
  const { config } = state;
  if (state.heartbeat || !isOfCurrentCheck(config, result) || !isAssigned(config, region)) return state;
  const history = lateHistory(state);
  const current = history.runs[probeId];
  const { started_at: at, error } = result;
  if (result.outcome === 'missed' || (current && at <= current.last_at)) return state;
  const idle: LateRun = { region, fails: 0, first_fail_at: at, last_at: at, error: null };
  const run = current && at - current.last_at <= statusHoldMs(config) ? current : idle;
  const first_fail_at = run.fails === 0 ? at : run.first_fail_at;
  const failing = { region, fails: run.fails + 1, first_fail_at, last_at: at, error: error ?? run.error };
  const isFailure = result.outcome === 'failure';
  const late = { ...history, runs: withRun(history.runs, probeId, isFailure ? failing : idle) };
  if (isFailure || run.fails <= config.retries) return { ...state, late };
  const outage = { region, from: run.first_fail_at, until: at, fails: run.fails, error: run.error };
  return { ...state, late: { ...late, found: [...history.found, outage].slice(-MAX_FOUND_OUTAGES) } };
}

function withRun(runs: LateHistory['runs'], probeId: string, run: LateRun): LateHistory['runs'] {
  const all = { ...runs, [probeId]: run };
  const others = Object.entries(runs).filter(([id]) => id !== probeId);
  if (others.length < MAX_RUNS) return all;
  const [oldest] = others.sort(([, one], [, other]) => one.last_at - other.last_at);
  return Object.fromEntries(Object.entries(all).filter(([id]) => id !== oldest?.[0]));
}

/**
 * Reports a time range if it was unmonitored, apart from the one interval for which the previous status
 * holds.
 */
function reportIfUnmonitored(step: MonitorStep, range: AgreedRange<LateOutage>): void {
  const { from, until, by } = range;
  const parts = unmonitoredParts(step.state, from, until);
  step.state = withoutGap(step.state, from, until);
  const [start, end] = parts[0] ?? [Infinity, 0];
  const isUnmonitored = parts.length === 1 && start <= from + step.state.config.interval_ms && end >= until;
  if (!isUnmonitored) return;
  const outage = lateOutage(step, range);
  step.open(outage, regionsOf(by), true);
  step.resolve(outage, until);
}

/** The outage of a time range that was over before it was detected. */
export function lateOutage(step: MonitorStep, { from, by }: AgreedRange<LateOutage>): Outage {
  const error = by.find((each) => each.error !== null)?.error;
  return step.outage('late', from, by.reduce((sum, { fails }) => sum + fails, 0), error);
}

export function regionsOf(outages: LateOutage[]): string[] {
  return [...new Set(outages.map(({ region }) => region))];
}

/**
 * An outage seen by one region and confirmed until `confirmed_until`; `until` is Infinity while it is
 * ongoing.
 */
type SeenOutage = RegionOutage & { region: string; confirmed_until: number };

/**
 * Reports outages that enough regions saw at the same time but reported one after another, so that no verdict
 * was down. Each is reported like a late one once all voting regions have reported past its end, or before
 * the status moves, because older outages no longer count then.
 */
export function reportOverlaps(step: MonitorStep, isStatusMoving: boolean): void {
  if (step.state.outage !== null) return;
  const reportedUntil = isStatusMoving ? Number.MAX_VALUE : reportedByAll(step.state);
  for (const overlap of overlaps(step.state)) {
    if (overlap.until <= reportedUntil) reportOverlap(step, overlap);
  }
}

/** When the regions' current outage began, even if it ended for some of them; Infinity without one. */
export function ongoingSince(state: MonitorState): number {
  const ongoing = overlaps(state).find(({ until }) => until === Infinity);
  return ongoing ? beginOf(ongoing) : Infinity;
}

/** True if a region that is down was up after `at` (Unix ms): it cannot confirm an earlier failure. */
export function hasRecoveredSince({ regions }: MonitorState, at: number): boolean {
  return Object.values(regions).some(({ verdict, ended = [] }) =>
    verdict === 'down' && ended.some(({ until }) => until > at));
}

/** Removes regional outages that no other outage can overlap any more. */
export function dropSettledOutages(state: MonitorState): MonitorState {
  const waiting = overlaps(state)[0]?.from ?? Infinity;
  const until = Math.max(state.since, Math.min(reportedByAll(state), waiting, awaitedFrom(state)));
  const regions: MonitorState['regions'] = {};
  for (const [name, { ended = [], ...region }] of Object.entries(state.regions)) {
    const remaining = ended.filter((outage) => outage.until > until);
    regions[name] = remaining.length > 0 ? { ...region, ended: remaining } : region;
  }
  return { ...state, regions };
}

/** The time (Unix ms) up to which all voting regions have reported; Infinity if none votes. */
function reportedByAll({ config, regions }: MonitorState): number {
  const voting = Object.entries(regions)
    .filter(([name, { verdict }]) => isAssigned(config, name) && verdict !== 'unknown');
  return Math.min(...voting.map(([, { last_at: at }]) => at ?? 0));
}

/**
 * A region without a vote may still report. Outages that ended after this time (Unix ms) wait for it, as long
 * as for a region that falls silent. Infinity if all assigned regions vote.
 */
function awaitedFrom(state: MonitorState): number {
  const { config, regions } = state;
  const isWithoutVote = (name: string): boolean => (regions[name]?.verdict ?? 'unknown') === 'unknown';
  if (!assignedRegions(state).some(isWithoutVote)) return Infinity;
  const reported = Object.values(regions).map(({ last_at: at }) => at ?? 0);
  return Math.max(...reported) - regionSilentAfterMs(config);
}

/**
 * Time ranges in which enough of all assigned regions agree; fewer would not have sufficed in time either.
 * Excludes ranges before the last change of status or configuration.
 */
function overlaps({ config, regions, since }: MonitorState): AgreedRange<SeenOutage>[] {
  const assigned = Object.entries(regions).filter(([name]) => isAssigned(config, name));
  const seen = assigned.flatMap(([name, region]) => seenBy(name, region));
  const ranges = agreedRanges({ config, regions }, seen);
  return ranges.filter(({ from }) => from > Math.max(since, config.changed_at));
}

function seenBy(name: string, region: RegionState): SeenOutage[] {
  const { down_at: from, first_fail_at, last_at, fails, error, ended = [] } = region;
  const seen = ended.map((outage) => ({ ...outage, region: name, confirmed_until: outage.until }));
  if (from === undefined || first_fail_at === null) return seen;
  const ongoing = { from, until: Infinity, first_fail_at, fails, error };
  return [...seen, { ...ongoing, region: name, confirmed_until: last_at ?? from }];
}

/** The first failure of any region that was down when enough of them were. */
function beginOf({ from, by }: AgreedRange<SeenOutage>): number {
  return Math.min(...by.filter((outage) => outage.from <= from).map((outage) => outage.first_fail_at));
}

/** Sets status, times and history as if the regions had reported at once. */
function reportOverlap(step: MonitorStep, overlap: AgreedRange<SeenOutage>): void {
  const { state, state: { status } } = step;
  const { until } = overlap;
  const by = overlap.by.filter((outage) => outage.confirmed_until >= overlap.from);
  const from = Math.max(beginOf({ ...overlap, by }), state.since);
  const outage = lateOutage(step, { from, until, by });
  step.addHistory({ from: status, to: 'down', at: from, reason: outage.message }, outage);
  step.open(outage, regionsOf(by), true);
  step.addHistory({ from: 'down', to: status, at: until, reason: 'check succeeded' }, outage);
  step.resolve(outage, until);
  step.state = { ...moveTime(accountUntil(state, until), from, until, [status, 'down']), since: until };
}

/** A time range (Unix ms) in which enough regions were down, with the outages they saw. */
interface AgreedRange<T> {
  from: number;
  until: number;
  by: T[];
}

/**
 * The ranges in which enough votes were down, in order, as if all assigned regions could have voted: outages
 * found afterwards must not depend on silent regions.
 */
export function agreedRanges<T extends { region: string; from: number; until: number }>(
  voters: Pick<MonitorState, 'config' | 'regions'>, found: T[],
): AgreedRange<T>[] {
  const required = requiredOfAllRegions(voters);
  const assigned = assignedRegions(voters);
  const { domains } = voters.config;
  const edges = new Set(found.flatMap(({ from, until }) => [from, until]));
  const bounds = [...edges].sort((one, other) => one - other);
  const ranges: AgreedRange<T>[] = [];
  bounds.slice(0, -1).forEach((from, index) => {
    const until = bounds[index + 1] as number;
    const by = found.filter((outage) => outage.from <= from && outage.until >= until);
    // A network votes "down" only if all of its regions do.
    const others = assigned.filter((name) => !by.some(({ region }) => region === name));
    if (votesOf(domains, assigned) - votesOf(domains, others) < required) return;
    const last = ranges.at(-1);
    if (last?.until === from) {
      last.until = until;
      last.by = [...new Set([...last.by, ...by])];
    } else ranges.push({ from, until, by });
  });
  return ranges;
}
