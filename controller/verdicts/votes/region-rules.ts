import type { CheckResult } from '../../../shared/contracts/result.ts';
import type { MonitorConfig, RegionStatus } from '../monitor-config.ts';
import type { MonitorState, Recovery, RegionOutage, RegionState, ResultItem } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { isAssigned } from './quorum-rules.ts';

/** Ended outages remembered per region until all regions have reported past them. */
const MAX_ENDED_OUTAGES = 4;

export const NEW_REGION: RegionState = Object.freeze({
  verdict: 'unknown', degraded: false, slows: 0, fails: 0, first_fail_at: null, last_at: null,
  response_time_ms: null, status_code: null, error: null, probe_id: null, engine: '', reason: null,
});

/** True if the monitor is active and its check has not changed since this result. */
export function isOfCurrentCheck(config: MonitorConfig, result: CheckResult): boolean {
  return config.status === 'active' && result.assignment_rev >= config.check_revision;
}

type Policy = Pick<MonitorConfig, 'retries' | 'recoveries'>;

/** The region after a result that counts. While it recovers, it keeps its last failure. */
export function afterResult(region: RegionState, item: ResultItem, policy: Policy): RegionState {
  const { result, probe_id, engine } = item;
  const { retries, recoveries = 0 } = policy;
  const at = result.started_at;
  const isSuccess = result.outcome === 'success';
  const recovery = isSuccess && region.verdict === 'down' ? recoveryAfter(region.recovery, result) : undefined;
  const isRecovering = recovery !== undefined && recovery.goods < recoveries;
  const isUp = isSuccess && !isRecovering;
  const fails = isUp ? 0 : isRecovering ? region.fails : region.fails + 1;
  const isSlow = isSuccess && result.degraded;
  const verdict = isUp ? 'up' : fails > retries ? 'down' : region.verdict;
  const downAt = region.verdict === 'down' ? region.down_at : at;
  const ended = isUp ? endedBy(region, recovery?.since ?? at) : region.ended;
  return {
    verdict, degraded: isSlow, slows: isSlow ? region.slows + 1 : 0, fails,
    first_fail_at: isUp ? null : (region.first_fail_at ?? at),
    last_at: at, response_time_ms: result.response_time_ms, status_code: result.status_code,
    error: isRecovering ? region.error : result.error, probe_id, engine, reason: null,
    ...(verdict === 'down' && downAt !== undefined ? { down_at: downAt } : {}),
    ...(isRecovering ? { recovery } : {}),
    ...(verdict === 'down' && region.is_alerted ? { is_alerted: true as const } : {}), ...(ended ? { ended } : {}),
  };
}

/** Only scheduled checks count after the first success, because others follow each other within seconds. */
function recoveryAfter(before: Recovery | undefined, { started_at: at, reason }: CheckResult): Recovery {
  if (before === undefined) return { since: at, goods: 0 };
  return reason === 'schedule' ? { since: before.since, goods: before.goods + 1 } : before;
}

/** The region's ended outages after a success at `until`. */
function endedBy(region: RegionState, until: number): RegionOutage[] | undefined {
  const { down_at: from, first_fail_at, fails, error, ended } = region;
  if (from === undefined || first_fail_at === null) return ended?.length ? ended : undefined;
  return [...(ended ?? []), { from, until, first_fail_at, fails, error }].slice(-MAX_ENDED_OUTAGES);
}

/** True if a region saw an outage and other regions have not yet reported on that time. */
export function isAwaitingReports({ regions }: MonitorState): boolean {
  for (const name in regions) if (regions[name]?.ended !== undefined) return true;
  return false;
}

/** A region that lost its vote. If it was in an outage, the end of that is unknown. */
export function withoutVote(before: RegionState, reason: string): RegionState {
  const { down_at: _unknown, is_alerted: _alerted, recovery: _recovery, ...region } = before;
  return { ...region, verdict: 'unknown', fails: 0, first_fail_at: null, reason };
}

/** In `former_regions`: all regions, because the choice was automatic. */
const ANY_REGION = '*';
/** Former regions remembered per monitor. */
const MAX_FORMER_REGIONS = 100;

/** The configuration `after`, with the regions that it no longer selects and those remembered by `before`. */
export function recordFormerRegions(before: MonitorConfig, after: MonitorConfig): MonitorConfig {
  const formerRegions = before.monitoring_regions.length === 0 ? [ANY_REGION] : before.monitoring_regions;
  const { monitoring_regions: regions, changed_at: changedAt } = after;
  const removed = formerRegions.filter((region) => regions.length > 0 && !regions.includes(region));
  const removedAt = Object.fromEntries(removed.map((region) => [region, changedAt]));
  const all = { ...before.former_regions, ...removedAt };
  const latest = Object.entries(all).sort((a, b) => b[1] - a[1]).slice(0, MAX_FORMER_REGIONS);
  return latest.length === 0 ? after : { ...after, former_regions: Object.fromEntries(latest) };
}

/** Added to two intervals and the timeout before a region counts as silent. */
const SILENCE_GRACE_MS = 15_000;

/** How long after its latest result a region counts as silent, ms. */
export function regionSilentAfterMs(config: MonitorConfig): number {
  const { interval_ms: intervalMs, timeout_ms: timeoutMs } = config;
  return 2 * intervalMs + timeoutMs + SILENCE_GRACE_MS;
}

/** True if a region votes "down" and is outvoted. */
export function isOutvotedDown({ status, regions }: Pick<MonitorState, 'status' | 'regions'>): boolean {
  return status !== 'down' && Object.values(regions).some(({ verdict }) => verdict === 'down');
}

/** The configuration `after`, with the assigned regions of `before` if the new ones are unknown. */
export function carryOverAssigned(before: MonitorConfig, after: MonitorConfig): MonitorConfig {
  const { assigned = null, domains = null } = before;
  if (after.assigned || !assigned) return after;
  const [were, are] = [before, after].map((config) => [...config.monitoring_regions].sort().join());
  return were === are ? { ...after, assigned, domains } : after;
}

/**
 * Why a region's results are not for this monitor; null if they may be. `owner` is a private region's
 * organization, null for a shared one. A region removed after `since` (Unix ms) may still send results.
 */
export function foreignReason(
  config: MonitorConfig, region: string, owner: string | null, since: number,
): 'foreign_organization' | 'foreign_region' | null {
  if (owner !== null && owner !== config.organization_id) return 'foreign_organization';
  if (config.monitoring_regions.length === 0 || config.monitoring_regions.includes(region)) return null;
  const formerRegions = config.former_regions ?? {};
  const { [region]: regionUntil = -Infinity, [ANY_REGION]: anyUntil = -Infinity } = formerRegions;
  return Math.max(regionUntil, anyUntil) >= since ? null : 'foreign_region';
}

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
