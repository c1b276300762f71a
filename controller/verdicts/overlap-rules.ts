import { bookUntil, rebook } from './booking-rules.ts';
import { lateOutage, regionsOf } from './late-rules.ts';
import type { MonitorState, RegionOutage, RegionState } from './monitor-state.ts';
import type { MonitorStep } from './monitor-step.ts';
import { agreed, isAsked, type Agreed } from './quorum-rules.ts';

/** An outage that one region saw, last at `known_until`; `until` is Infinity while it lasts. */
type SeenOutage = RegionOutage & { region: string; known_until: number };

/** True when a region saw an outage that other regions have yet to report on. */
export function isAwaiting({ regions }: MonitorState): boolean {
  for (const name in regions) if (regions[name]?.ended !== undefined) return true;
  return false;
}

/**
 * Reports outages that enough regions saw at a time but reported one after the other, so that no verdict was
 * ever down. Each is reported like a late one, once all voting regions have been heard past its end or before
 * the status moves (`moves`), after which older outages no longer count.
 */
export function tellOverlaps(step: MonitorStep, moves: boolean): void {
  if (step.state.outage !== null || !isAwaiting(step.state)) return;
  const heardUntil = moves ? Number.MAX_VALUE : heardByAll(step.state);
  for (const overlap of overlaps(step.state)) if (overlap.until <= heardUntil) tell(step, overlap);
}

/** When the regions' present outage began, even if it is over for some of them; Infinity if there is none. */
export function ongoingSince(state: MonitorState): number {
  const ongoing = isAwaiting(state) ? overlaps(state).find(({ until }) => until === Infinity) : undefined;
  return ongoing ? beginOf(ongoing) : Infinity;
}

/** True when a region that is down was up after `at` (Unix ms): it cannot confirm a failure from then. */
export function hasRecoveredSince({ regions }: MonitorState, at: number): boolean {
  return Object.values(regions).some(({ verdict, ended = [] }) =>
    verdict === 'down' && ended.some(({ until }) => until > at));
}

/** The state without the regions' outages that nothing can overlap any more. */
export function forgetHeard(state: MonitorState): MonitorState {
  if (!isAwaiting(state)) return state;
  const waiting = overlaps(state)[0]?.from ?? Infinity;
  const until = Math.max(state.since, Math.min(heardByAll(state), waiting));
  const regions: MonitorState['regions'] = {};
  for (const [name, { ended = [], ...region }] of Object.entries(state.regions)) {
    const left = ended.filter((outage) => outage.until > until);
    regions[name] = left.length > 0 ? { ...region, ended: left } : region;
  }
  return { ...state, regions };
}

/** The instant (Unix ms) up to which all voting regions have been heard; Infinity if none votes. */
function heardByAll({ config, regions }: MonitorState): number {
  const asked = Object.entries(regions).filter(([name]) => isAsked(config, name)).map(([, region]) => region);
  return Math.min(...asked.filter(({ verdict }) => verdict !== 'unknown').map(({ last_at: at }) => at ?? 0));
}

/**
 * Stretches in which enough of all asked regions agree; fewer would not have been enough in time either.
 * Stretches from before the last change of status or configuration are settled already.
 */
function overlaps({ config, regions, since }: MonitorState): Agreed<SeenOutage>[] {
  const asked = Object.entries(regions).filter(([name]) => isAsked(config, name));
  const seen = asked.flatMap(([name, region]) => seenBy(name, region));
  const stretches = agreed({ config, regions }, seen);
  return stretches.filter(({ from }) => from > Math.max(since, config.changed_at));
}

function seenBy(name: string, region: RegionState): SeenOutage[] {
  const { down_at: from, first_fail_at, last_at, fails, error, ended = [] } = region;
  const seen = ended.map((outage) => ({ ...outage, region: name, known_until: outage.until }));
  if (from === undefined || first_fail_at === null) return seen;
  const present = { from, until: Infinity, first_fail_at, fails, error };
  return [...seen, { ...present, region: name, known_until: last_at ?? from }];
}

/** The first failure of any region that was down when enough of them were. */
function beginOf({ from, by }: Agreed<SeenOutage>): number {
  return Math.min(...by.filter((outage) => outage.from <= from).map((outage) => outage.first_fail_at));
}

/** Status, times and history become what they would be if the regions had been heard at once. */
function tell(step: MonitorStep, overlap: Agreed<SeenOutage>): void {
  const { state, state: { status } } = step;
  const { until } = overlap;
  const by = overlap.by.filter((outage) => outage.known_until >= overlap.from);
  const from = Math.max(beginOf({ ...overlap, by }), state.since);
  const outage = lateOutage(step, { from, until, by });
  step.addHistory({ from: status, to: 'down', at: from, reason: outage.message }, outage);
  step.open(outage, regionsOf(by), true);
  step.addHistory({ from: 'down', to: status, at: until, reason: 'check succeeded' }, outage);
  step.resolve(outage, until);
  step.state = { ...rebook(bookUntil(state, until), from, until, [status, 'down']), since: until };
}
