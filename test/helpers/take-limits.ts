import type { TakeLimits } from '../../controller/results/intake/take-limits.ts';
import { shardMap } from './shard-map.ts';

/** Limits of a controller with one plan and only shared regions, whose probes have every monitor. */
export function limitsOf(rawRetentionMs: number): TakeLimits {
  return {
    shardOf: shardMap.of, rawRetentionMs: () => rawRetentionMs, maxRawRetentionMs: rawRetentionMs,
    intakeFacts: () => ({ owner: null, clockShiftMs: 0, hasVote: true }),
    hasVote: () => true, hasLiveProbe: () => true, canGetMoreVotes: () => true, assigned: () => null,
    noDataAfterMs: 300_000,
    assignments: { until: () => Infinity, read: () => null },
  };
}
