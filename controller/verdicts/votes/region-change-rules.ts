import type { RegionStatus } from '../monitor-config.ts';
import type { MonitorState, RegionState } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { isAssigned } from './quorum-rules.ts';

/** What a region says, as it is shown. */
export function statusOfRegion(region: RegionState | undefined): RegionStatus {
  if (!region) return 'unknown';
  return region.verdict === 'up' && region.degraded ? 'degraded' : region.verdict;
}

/**
 * Tells each change of what a region says at `at` (Unix ms), but not that it is up when it reports for the
 * first time. Where a region is down and the monitor is not, those who want to know are alerted, once.
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

/** True while a region is down and it is not clear yet, or not told, that the others see the monitor up. */
export function hasUnalertedDownRegion({ config, regions }: MonitorState): boolean {
  for (const name in regions) {
    const region = regions[name] as RegionState;
    if (region.verdict === 'down' && region.is_alerted !== true && isAssigned(config, name)) return true;
  }
  return false;
}

/**
 * Regions that are down, while all others with a vote were heard since it failed and the monitor is up. A
 * region that rechecks may be about to join it; one not heard since the monitor came up, to come up too.
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
