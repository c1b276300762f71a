import { derivedId } from '../../shared/ids.ts';
import type { MonitorConfig } from './monitor-config.ts';
import { opening, resolution, SEVERITY } from './effect-rules.ts';
import { freeParts, lateHistory, withoutGap } from './gap-rules.ts';
import { agreed, isAsked, requiredVotes, type Agreed } from './quorum-rules.ts';
import type { ItemPlace, LateHistory, LateOutage, LateRun, MonitorEffect, MonitorItem, MonitorState, MonitorStep, Outage } from './monitor-state.ts';

/** Probes whose late results are followed at once, and outages that wait or are evidence: the latest. */
const RUNS_KEPT = 8;
const FOUND_KEPT = 16;

/**
 * Tells of outages that results show which came too late to move a verdict: more failures in a row than the monitor's
 * retries, then a success, in as many regions at a time as its policy needs of those that it asks. Each becomes an incident
 * that is over and alerts nobody, if nobody had watched that time: what is known stays as it was told. Judged once its time
 * is booked, so that it does not matter whether the late results or the ones in time came first. Counts and times are
 * repaired by the rollups.
 */
export function tellLate(before: MonitorState, step: MonitorStep, item: MonitorItem, place: ItemPlace): MonitorStep {
  const noted = item.kind === 'result' && item.late ? note(step.state, item) : step.state;
  const { found } = lateHistory(noted);
  if (found.length === 0) return noted === step.state ? step : { ...step, state: noted };
  const isFresh = found !== lateHistory(step.state).found;
  const isDue = isFresh || found.some(({ until }) => until > before.booked_until && until <= noted.booked_until);
  if (!isDue) return noted === step.state ? step : { ...step, state: noted };
  const required = requiredVotes(noted.config.quorum, regionsAsked(noted));
  const told = { state: noted, effects: [...step.effects] };
  for (const stretch of agreed(found.filter(({ until }) => until <= noted.booked_until), required)) settle(told, stretch, place);
  if (required > 1) return told;
  // One vote was enough, so none of them is waited for by another region's.
  const left = lateHistory(told.state).found.filter(({ until }) => until > noted.booked_until);
  return { ...told, state: { ...told.state, late: { ...lateHistory(told.state), found: left } } };
}

/** How many regions have a say; of a choice that is automatic, those that were heard. */
function regionsAsked(state: MonitorState): number {
  if (state.config.monitoring_regions.length > 0) return state.config.monitoring_regions.length;
  const { runs, found } = lateHistory(state);
  return new Set([...Object.keys(state.regions), ...Object.values(runs).map(({ region }) => region), ...found.map(({ region }) => region)]).size;
}

/** What one late result adds to what its probe has told late. A hole in between begins anew. */
function note(state: MonitorState, { result, region, probe_id: probeId }: MonitorItem & { kind: 'result' }): MonitorState {
  const { config } = state;
  if (state.heartbeat || config.status !== 'active' || result.assignment_rev < config.check_revision || !isAsked(config, region)) return state;
  const history = lateHistory(state);
  const known = history.runs[probeId];
  const at = result.started_at;
  if (result.outcome === 'missed' || (known && at <= known.last_at)) return state;
  const run = known && at - known.last_at <= longestPauseMs(config) ? known : { region, fails: 0, first_fail_at: at, last_at: at, error: null };
  if (result.outcome === 'failure') {
    const fails = run.fails + 1;
    const failing: LateRun = { region, fails, first_fail_at: fails === 1 ? at : run.first_fail_at, last_at: at, error: result.error ?? run.error };
    return { ...state, late: { ...history, runs: withRun(history.runs, probeId, failing) } };
  }
  const runs = withRun(history.runs, probeId, { region, fails: 0, first_fail_at: at, last_at: at, error: null });
  if (run.fails <= config.retries) return { ...state, late: { ...history, runs } };
  const outage: LateOutage = { region, from: run.first_fail_at, until: at, fails: run.fails, error: run.error };
  return { ...state, late: { ...history, runs, found: [...history.found, outage].slice(-FOUND_KEPT) } };
}

/** Results of one probe that are further apart say nothing of the time between. */
function longestPauseMs(config: MonitorConfig): number {
  return 2 * config.interval_ms + config.timeout_ms;
}

function withRun(runs: LateHistory['runs'], probeId: string, run: LateRun): LateHistory['runs'] {
  const all = Object.entries({ ...runs, [probeId]: run });
  if (all.length <= RUNS_KEPT) return { ...runs, [probeId]: run };
  const [oldest] = all.filter(([id]) => id !== probeId).sort((one, other) => one[1].last_at - other[1].last_at);
  return Object.fromEntries(all.filter(([id]) => id !== oldest?.[0]));
}

/** Told when the whole of it was free, but for the interval that the status before it is taken to hold. */
function settle(told: MonitorStep, { from, until, by }: Agreed<LateOutage>, place: ItemPlace): void {
  const free = freeParts(told.state, from, until);
  told.state = withoutGap(told.state, from, until);
  const [start, end] = free[0] ?? [Infinity, 0];
  if (free.length !== 1 || start > from + told.state.config.interval_ms || end < until) return;
  told.effects.push(...lateIncident(told.state, { from, until, by }, { n: place.n, index: place.index + told.effects.length }).effects);
}

/** The incident of an outage that was over when it showed: opened and resolved, with no alert. */
export function lateIncident(
  state: MonitorState, { from, until, by }: Agreed<LateOutage>, place: ItemPlace,
): { outage: Outage; effects: [opened: MonitorEffect, resolved: MonitorEffect] } {
  const error = by.find((each) => each.error !== null)?.error ?? { type: 'connection_error' as const, message: 'The check failed' };
  const outage: Outage = {
    incident_id: derivedId(state.config.monitor_id, place.n, place.index, 'late'), started_at: from,
    failure_count: by.reduce((sum, { fails }) => sum + fails, 0), type: error.type, message: error.message, severity: SEVERITY[error.type],
  };
  const opened = opening(state, outage, [...new Set(by.map(({ region }) => region))]);
  if (opened.kind === 'open') opened.opening.late = true;
  return { outage, effects: [opened, resolution(state, outage, until)] };
}
