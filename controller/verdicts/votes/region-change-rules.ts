import type { RegionStatus } from '../monitor-config.ts';
import type { MonitorState, RegionState } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { isAssigned } from './quorum-rules.ts';

/** A region's displayed status. */
export function statusOfRegion(region: RegionState | undefined): RegionStatus {
  if (!region) return 'unknown';
  return region.verdict === 'up' && region.degraded ? 'degraded' : region.verdict;
}

/**
 * Emits each change in a region's status at `at` (Unix ms), except for a first report of up. Emits one alert
 * for a region that is down while the monitor is not.
 */
export function reportRegionChanges(step: MonitorStep, at: number): void {
  const { before, state } = step;
  if (state.regions === before.regions) return;
  for (const name in state.regions) {
    const earlier = before.regions[name];
    const [previous_status, status] = [statusOfRegion(earlier), statusOfRegion(state.regions[name])];
    const isFirstVote = status === 'up' && (earlier?.last_at ?? null) === null;
    if (previous_status === status || isFirstVote) continue;
    step.addRegionChange({ region: name, status, previous_status, at });
  }
  for (const name of regionsToAlert(state)) alertRegion(step, name);
}

/** True if a region is down without an alert so far. */
export function hasUnalertedDownRegion({ config, regions }: MonitorState): boolean {
  for (const name in regions) {
    const region = regions[name] as RegionState;
    if (region.verdict === 'down' && region.is_alerted !== true && isAssigned(config, name)) return true;
  }
  return false;
}

/**
 * Down regions to alert: the monitor is up, and all other voting regions have reported since the failure.
 * Excludes regions that may still be confirmed by a recheck or have not reported since the monitor came up.
 */
function regionsToAlert(state: MonitorState): string[] {
  const { status, since, config, regions } = state;
  if ((status !== 'up' && status !== 'degraded') || !hasUnalertedDownRegion(state)) return [];
  const voters = Object.entries(regions)
    .filter(([name, { verdict }]) => verdict !== 'unknown' && isAssigned(config, name));
  return voters.flatMap(([name, region]) => {
    const { verdict, is_alerted: isAlerted, first_fail_at: failedAt, last_at: lastAt } = region;
    if (verdict !== 'down' || isAlerted || failedAt === null || voters.length < 2) return [];
    if ((lastAt ?? 0) < since) return [];
    const isOnlyOneFailing = voters.every(([other, { verdict: otherVerdict, fails, last_at: at }]) =>
      other === name || ((at ?? 0) >= failedAt && (otherVerdict === 'down' || fails === 0)));
    return isOnlyOneFailing ? [name] : [];
  });
}

function alertRegion(step: MonitorStep, name: string): void {
  const region = step.state.regions[name] as RegionState;
  step.alert('monitor.region_degraded', {
    incident: null, error: region.error, regions: [name], at: region.first_fail_at ?? region.last_at ?? 0,
  });
  step.state = { ...step.state, regions: { ...step.state.regions, [name]: { ...region, is_alerted: true } } };
}
