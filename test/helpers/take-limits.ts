import type { TakeLimits } from '../../controller/results/intake/take-limits.ts';
import { shardMap } from './shard-map.ts';

export const NO_DATA_AFTER_MS = 300_000;

/** Limits of a controller with one plan and only shared regions, whose probes have every monitor. */
export function limitsOf(rawRetentionMs: number): TakeLimits {
  return {
    shardOf: shardMap.of, rawRetentionMs: () => rawRetentionMs, maxRawRetentionMs: rawRetentionMs,
    intakeFacts: () => ({ owner: null, clockShiftMs: 0, hasVote: true }),
    hasVote: () => true, hasLiveProbe: () => true, canGetMoreVotes: () => true, assigned: () => null,
    noDataAfterMs: NO_DATA_AFTER_MS,
    assignments: { until: () => Infinity, read: () => null },
  };
}
