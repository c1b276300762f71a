import { accountUntil, moveTime } from '../time-accounting/time-accounting-rules.ts';
import { lateOutage, regionsOf } from './late-outage-rules.ts';
import type { MonitorState, RegionOutage, RegionState } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { agreedRanges, isAssigned, type AgreedRange } from '../votes/quorum-rules.ts';

/**
 * An outage seen by one region and confirmed until `confirmed_until`; `until` is Infinity while it is
 * ongoing.
 */
type SeenOutage = RegionOutage & { region: string; confirmed_until: number };

/** True if a region saw an outage and other regions have not yet reported on that time. */
export function isAwaitingReports({ regions }: MonitorState): boolean {
  for (const name in regions) if (regions[name]?.ended !== undefined) return true;
  return false;
}

/**
 * Reports outages that enough regions saw at the same time but reported one after another, so that no verdict
 * was down. Each is reported like a late one once all voting regions have reported past its end, or before
 * the status moves, because older outages no longer count then.
 */
export function reportOverlaps(step: MonitorStep, isStatusMoving: boolean): void {
  if (step.state.outage !== null || !isAwaitingReports(step.state)) return;
  const reportedUntil = isStatusMoving ? Number.MAX_VALUE : reportedByAll(step.state);
  for (const overlap of overlaps(step.state)) {
    if (overlap.until <= reportedUntil) reportOverlap(step, overlap);
  }
}

/** When the regions' current outage began, even if it ended for some of them; Infinity without one. */
export function ongoingSince(state: MonitorState): number {
  if (!isAwaitingReports(state)) return Infinity;
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
  if (!isAwaitingReports(state)) return state;
  const waiting = overlaps(state)[0]?.from ?? Infinity;
  const until = Math.max(state.since, Math.min(reportedByAll(state), waiting));
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
