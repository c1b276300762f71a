import type { MonitorConfig, RuntimeStatus } from './monitor-config.ts';
import type { RegionState } from './monitor-state.ts';

/** How many of `votes` regions must say "down": at least one, at most all. */
export function requiredVotes(quorum: MonitorConfig['quorum'], votes: number): number {
  if (quorum === 'any') return 1;
  if (quorum === 'all') return Math.max(1, votes);
  if (quorum === 'majority') return Math.floor(votes / 2) + 1;
  return Math.max(1, Math.min(quorum, votes));
}

/**
 * The verdict of all regions together. An unknown region has no vote, nor has one that is no longer asked;
 * without any vote the monitor is `unknown`, never `down`.
 */
export function verdictOf(
  config: MonitorConfig, regions: Record<string, RegionState>,
): Exclude<RuntimeStatus, 'paused'> {
  let votes = 0;
  let down = 0;
  let degraded = 0;
  for (const name in regions) {
    const region = regions[name] as RegionState;
    if (region.verdict === 'unknown' || !isAsked(config, name)) continue;
    votes += 1;
    if (region.verdict === 'down') down += 1;
    else if (region.degraded) degraded += 1;
  }
  if (votes === 0) return 'unknown';
  if (down >= requiredVotes(config.quorum, votes)) return 'down';
  return degraded * 2 > votes - down ? 'degraded' : 'up';
}

/** True when a region's results count for this monitor; an empty list means any region. */
export function isAsked(config: MonitorConfig, region: string): boolean {
  return config.monitoring_regions.length === 0 || config.monitoring_regions.includes(region);
}

/** A stretch (Unix ms) in which enough regions were down, with the outages that they saw. */
export interface Agreed<T> {
  from: number;
  until: number;
  by: T[];
}

/** The votes required of all regions asked, or of those in `heard` if the choice of regions is automatic. */
export function requiredOfAll({ quorum, monitoring_regions: asked }: MonitorConfig, heard: string[]): number {
  return requiredVotes(quorum, asked.length > 0 ? asked.length : new Set(heard).size);
}

/** The stretches in which at least `required` regions were down, in order. */
export function agreed<T extends { region: string; from: number; until: number }>(
  found: T[], required: number,
): Agreed<T>[] {
  const edges = new Set(found.flatMap(({ from, until }) => [from, until]));
  const bounds = [...edges].sort((one, other) => one - other);
  const stretches: Agreed<T>[] = [];
  bounds.slice(0, -1).forEach((from, index) => {
    const until = bounds[index + 1] as number;
    const by = found.filter((outage) => outage.from <= from && outage.until >= until);
    if (by.length === 0 || new Set(by.map(({ region }) => region)).size < required) return;
    const last = stretches.at(-1);
    if (last?.until === from) {
      last.until = until;
      last.by = [...new Set([...last.by, ...by])];
    } else stretches.push({ from, until, by });
  });
  return stretches;
}
