import { bookUntil, rebook } from './booking-rules.ts';
import { statusEffect } from './effect-rules.ts';
import { lateIncident } from './late-rules.ts';
import { agreed, isAsked, requiredVotes, type Agreed } from './quorum-rules.ts';
import type { ItemPlace, LateOutage, MonitorEffect, MonitorState, MonitorStep, RegionState } from './monitor-state.ts';

/** An outage that one region saw; without an end (Infinity) while it lasts. */
interface SeenOutage extends LateOutage {
  first_fail_at: number;
  /** Up to when it is known to have lasted. */
  known_until: number;
}

/** Whether a region has seen an outage that not all have been heard about. */
export function isAwaiting({ regions }: MonitorState): boolean {
  for (const name in regions) if (regions[name]?.ended !== undefined) return true;
  return false;
}

/**
 * Tells of outages that enough regions saw at a time, but told of one after the other, so that no verdict was ever down:
 * each is an incident that is over and alerts nobody, once all regions that vote have been heard past its end, or before
 * the status moves (`moves`), after which nothing from before counts. Regions that are heard in order leave none.
 */
export function tellOverlaps(state: MonitorState, moves: boolean, place: ItemPlace): MonitorStep {
  const told: MonitorStep = { state, effects: [] };
  if (state.outage !== null || !isAwaiting(state)) return told;
  const heardUntil = moves ? Number.MAX_VALUE : heardByAll(state);
  for (const overlap of overlaps(state)) if (overlap.until <= heardUntil) tell(told, overlap, place);
  return told;
}

/** When the outage began that regions are in, if any that are in it no more were too; Infinity else. */
export function ongoingSince(state: MonitorState): number {
  const ongoing = isAwaiting(state) ? overlaps(state).find(({ until }) => until === Infinity) : undefined;
  return ongoing ? beginOf(ongoing) : Infinity;
}

/** Whether a region that is down has been up since `at` (Unix ms): what another saw then is no agreement with it. */
export function hasRecoveredSince(state: MonitorState, at: number): boolean {
  return Object.values(state.regions).some(({ verdict, ended = [] }) => verdict === 'down' && ended.some(({ until }) => until > at));
}

/** The state without outages of regions that nothing can be found to overlap with any more. */
export function forgetHeard(state: MonitorState): MonitorState {
  if (!isAwaiting(state)) return state;
  const waiting = overlaps(state)[0]?.from ?? Infinity;
  const until = Math.max(state.since, Math.min(heardByAll(state), waiting));
  const regions = Object.entries(state.regions).map(([name, { ended = [], ...region }]): [string, RegionState] => {
    const left = ended.filter((outage) => outage.until > until);
    return [name, left.length > 0 ? { ...region, ended: left } : region];
  });
  return { ...state, regions: Object.fromEntries(regions) };
}

/** Up to when all regions that vote have been heard, Unix ms; Infinity when none does. */
function heardByAll({ config, regions }: MonitorState): number {
  const voting = Object.entries(regions).filter(([name, { verdict }]) => verdict !== 'unknown' && isAsked(config, name));
  return Math.min(...voting.map(([, region]) => region.last_at ?? 0));
}

/**
 * Stretches in which regions agree, as many as are needed of all that are asked: more than that none would have needed
 * when heard in time. Those from before the last change of the status or the configuration are told, or were none.
 */
function overlaps(state: MonitorState): Agreed<SeenOutage>[] {
  const { config, regions } = state;
  const asked = config.monitoring_regions.length > 0 ? config.monitoring_regions.length : Object.keys(regions).length;
  const seen = Object.keys(regions).filter((name) => isAsked(config, name)).flatMap((name) => seenBy(name, regions[name] as RegionState));
  return agreed(seen, requiredVotes(config.quorum, asked)).filter(({ from }) => from > Math.max(state.since, config.changed_at));
}

function seenBy(region: string, { down_at: from, first_fail_at, last_at, fails, error, ended = [] }: RegionState): SeenOutage[] {
  const seen = ended.map((outage) => ({ ...outage, region, known_until: outage.until }));
  if (from === undefined || first_fail_at === null) return seen;
  return [...seen, { region, from, until: Infinity, known_until: last_at ?? from, first_fail_at, fails, error }];
}

/** The first failure of any region that was down when enough of them were. */
function beginOf({ from, by }: Agreed<SeenOutage>): number {
  return Math.min(...by.filter((outage) => outage.from <= from).map((outage) => outage.first_fail_at));
}

/** Status, times and history become what they had been, had the regions been heard at once. */
function tell(told: MonitorStep, overlap: Agreed<SeenOutage>, place: ItemPlace): void {
  const { state, effects } = told;
  const { until } = overlap;
  const by = overlap.by.filter((outage) => outage.known_until >= overlap.from);
  const from = Math.max(beginOf({ ...overlap, by }), state.since);
  const placeOf = (): ItemPlace => ({ n: place.n, index: place.index + effects.length });
  const { outage, effects: [opened, resolved] } = lateIncident(state, { from, until, by }, placeOf());
  const down: MonitorState = { ...state, status: 'down', since: from };
  const add = (effect: MonitorEffect): unknown => effects.push(effect);
  add(statusEffect(down, state.status, from, placeOf(), outage.message, outage.incident_id));
  add(opened);
  add(statusEffect(state, down.status, until, placeOf(), 'check succeeded', outage.incident_id));
  add(resolved);
  told.state = { ...rebook(bookUntil(state, until), from, until, state.status, down.status), since: until };
}
