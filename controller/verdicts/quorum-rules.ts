import type { MonitorConfig, RuntimeStatus } from './monitor-config.ts';
import type { RegionState } from './monitor-state.ts';

/** How many of `votes` regions must say "down": at least 1, at most all that vote. */
export function requiredVotes(quorum: MonitorConfig['quorum'], votes: number): number {
  if (quorum === 'any') return 1;
  if (quorum === 'all') return Math.max(1, votes);
  if (quorum === 'majority') return Math.floor(votes / 2) + 1;
  return Math.max(1, Math.min(quorum, votes));
}

/**
 * The verdict of all regions together. A region that is unknown, or no longer asked for, has no vote;
 * without any vote the monitor is `unknown`, never `down`.
 */
export function verdictOf(config: MonitorConfig, regions: Record<string, RegionState>): Exclude<RuntimeStatus, 'paused'> {
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

/** Whether a region's results count for this monitor; an empty list means any. */
export function isAsked(config: MonitorConfig, region: string): boolean {
  return config.monitoring_regions.length === 0 || config.monitoring_regions.includes(region);
}

/** A stretch (Unix ms) in which regions agree that a monitor was down, by what each of them saw. */
export interface Agreed<T> {
  from: number;
  until: number;
  by: T[];
}

/** Stretches in which so many regions at least saw an outage, in order. */
export function agreed<T extends { region: string; from: number; until: number }>(found: T[], required: number): Agreed<T>[] {
  const bounds = [...new Set(found.flatMap(({ from, until }) => [from, until]))].sort((one, other) => one - other);
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
