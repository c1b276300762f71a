import type { MonitorConfig } from './monitor-config.ts';
import type { MonitorItem, RegionOutage, RegionState } from './monitor-state.ts';

/** Outages that a region remembers until all regions have been heard past them, the latest ones. */
export const ENDED_KEPT = 4;

export const NEW_REGION: RegionState = Object.freeze({
  verdict: 'unknown', degraded: false, slows: 0, fails: 0, first_fail_at: null, last_at: null,
  response_time_ms: null, status_code: null, error: null, probe_id: null, reason: null,
});

/** What a region says once a result of its counts. */
export function afterResult(region: RegionState, item: MonitorItem & { kind: 'result' }, retries: number): RegionState {
  const { result } = item;
  const isSuccess = result.outcome === 'success';
  const fails = isSuccess ? 0 : region.fails + 1;
  const isSlow = isSuccess && result.degraded;
  const verdict = isSuccess ? 'up' : fails > retries ? 'down' : region.verdict;
  const downAt = region.verdict === 'down' ? region.down_at : result.started_at;
  const ended = isSuccess ? afterSuccess(region, result.started_at) : region.ended;
  return {
    verdict, degraded: isSlow, slows: isSlow ? (region.slows ?? 0) + 1 : 0, fails,
    first_fail_at: isSuccess ? null : (region.first_fail_at ?? result.started_at),
    last_at: result.started_at, response_time_ms: result.response_time_ms, status_code: result.status_code,
    error: result.error, probe_id: item.probe_id, reason: null,
    ...(verdict === 'down' && downAt !== undefined ? { down_at: downAt } : {}), ...(ended ? { ended } : {}),
  };
}

function afterSuccess({ down_at: from, first_fail_at, fails, error, ended = [] }: RegionState, until: number): RegionOutage[] | undefined {
  if (from !== undefined && first_fail_at !== null) return [...ended, { from, until, first_fail_at, fails, error }].slice(-ENDED_KEPT);
  return ended.length > 0 ? ended : undefined;
}

/** A region that has lost its vote: of an outage that it was in nobody knows the end. */
export function withoutVote({ down_at: _unknown, ...region }: RegionState, reason: string): RegionState {
  return { ...region, verdict: 'unknown', fails: 0, first_fail_at: null, reason };
}

/** Stands for all regions in `asked_before`: the choice was automatic. */
const ANY_REGION = '*';
/** Regions that a monitor remembers having asked for, the latest ones. */
const REMEMBERED = 100;

/** The configuration `after` with the regions that it no longer asks for, and that `before` did or remembered. */
export function rememberRegions(before: MonitorConfig, after: MonitorConfig): MonitorConfig {
  const isGone = (region: string): boolean => after.monitoring_regions.length > 0 && !after.monitoring_regions.includes(region);
  const asked = before.monitoring_regions.length === 0 ? [ANY_REGION] : before.monitoring_regions;
  const known = Object.entries(before.asked_before ?? {});
  const left = asked.filter(isGone).map((region): [string, number] => [region, after.changed_at]);
  if (known.length + left.length === 0) return after;
  const latest = Object.entries({ ...Object.fromEntries(known), ...Object.fromEntries(left) }).sort((a, b) => b[1] - a[1]).slice(0, REMEMBERED);
  return { ...after, asked_before: Object.fromEntries(latest) };
}

/**
 * Why results of a region are no business of this monitor; null when they may be. `owner` is the organization of a private
 * region, null for a shared one. A region that was asked for until `since` (Unix ms) or later still drains what it found.
 */
export function foreignTo(config: MonitorConfig, region: string, owner: string | null, since: number): 'foreign_organization' | 'foreign_region' | null {
  if (owner !== null && owner !== config.organization_id) return 'foreign_organization';
  if (config.monitoring_regions.length === 0 || config.monitoring_regions.includes(region)) return null;
  const before = config.asked_before ?? {};
  return Math.max(before[region] ?? -Infinity, before[ANY_REGION] ?? -Infinity) >= since ? null : 'foreign_region';
}
