import type { MonitorConfig } from '../results/ports.ts';

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
