import { OUTCOMES } from '../../shared/contracts/result.ts';
import { DEGRADED, LATE } from '../results/hours/row-layout.ts';
import type { ResultColumns } from '../results/hours/result-columns.ts';
import type { MonitorState } from '../verdicts/monitor-state.ts';
import { HOUR_MS } from '../verdicts/time-accounting/time-accounting-rules.ts';
import { regionSilentAfterMs } from '../verdicts/votes/region-rules.ts';

const JUDGED = 3 | DEGRADED | LATE;
const GOOD = OUTCOMES.indexOf('success');

/**
 * The start of each region's latest result if the rules could change nothing else in this hour, as in nearly
 * all hours: every result is good, every region is up, and none falls silent. Otherwise null.
 */
export function latestOfQuietHour(
  state: MonitorState, hour: number, { length, flags, started, source, sources }: ResultColumns,
): Map<string, number> | null {
  if (length === 0 || !isSettled(state, hour)) return null;
  const silentAfterMs = regionSilentAfterMs(state.config);
  const latest = new Map<string, number>();
  for (const [name, { verdict, last_at }] of Object.entries(state.regions)) {
    if (verdict === 'up') latest.set(name, last_at ?? 0);
  }
  const names = [...latest.keys()];
  const indexes = sources.map(({ region }) => names.indexOf(region));
  const last = [...latest.values()];
  for (let at = 0; at < length; at += 1) {
    const index = indexes[source[at] as number] as number;
    const start = started[at] as number;
    if (((flags[at] as number) & JUDGED) !== GOOD || index < 0) return null;
    const gap = start - (last[index] as number);
    if (gap <= 0 || gap >= silentAfterMs) return null;
    last[index] = start;
  }
  const end = Math.max(...last);
  if (last.some((at) => at + silentAfterMs <= end)) return null;
  names.forEach((name, index) => latest.set(name, last[index] as number));
  return latest;
}

/** Whether the monitor is up and nothing about it is pending. */
function isSettled(state: MonitorState, hour: number): boolean {
  const { config, status, outage, slow, flaps, withheld, witnesses, heartbeat, regions } = state;
  if (status !== 'up' || heartbeat !== undefined || config.status !== 'active') return false;
  const ongoing = [outage, slow, flaps, withheld, witnesses, state.maintenance_since];
  if (ongoing.some((one) => one !== null) || state.minority_accepted) return false;
  if (config.maintenance?.some(({ from, until }) => from < hour + 2 * HOUR_MS && until > hour)) return false;
  return Object.values(regions).every(({ verdict, degraded, slows, fails, ended, recovery }) => {
    const isClean = !degraded && slows === 0 && fails === 0 && ended === undefined && recovery === undefined;
    return verdict === 'unknown' || (verdict === 'up' && isClean);
  });
}
