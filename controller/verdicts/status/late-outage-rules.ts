import { statusHoldMs, lateHistory, unmonitoredParts, withoutGap } from '../time-accounting/time-accounting-rules.ts';
import type {
  LateHistory, LateOutage, LateRun, MonitorItem, MonitorState, Outage, ResultItem,
} from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { agreedRanges, isAssigned, requiredOfAllRegions, type AgreedRange } from '../votes/quorum-rules.ts';
import { isOfCurrentCheck, NEW_REGION } from '../votes/region-rules.ts';

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
