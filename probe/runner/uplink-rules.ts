/** What trying a place shows. `unknown`: nothing, since it is on this machine or there is nothing to try. */
export type Reach = 'responds' | 'silent' | 'unknown';

/** So many named places out of reach mean that the way out is gone, or all where fewer are named. */
const MIN_SILENT = 2;

/**
 * Whether the way out is gone, by places that the operator has `named`, or by those of the `installation`.
 * Named ones are taken to answer whenever anybody does, so two silent ones are enough. NATS and the
 * controller may be down themselves: the way out is gone only if none of them answers, and at least one that
 * could have shown it is silent.
 */
export function isLost(source: 'named' | 'installation', reaches: readonly Reach[]): boolean {
  const silent = reaches.filter((reach) => reach === 'silent').length;
  if (source === 'named') return silent >= Math.max(1, Math.min(MIN_SILENT, reaches.length));
  return silent > 0 && !reaches.includes('responds');
}
