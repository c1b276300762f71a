/**
 * Outcome of an attempt to reach an endpoint. `unknown`: it is on this machine, or there is nothing to try.
 */
export type Reach = 'responds' | 'silent' | 'unknown';

/** The uplink is lost if this many named endpoints are silent, or all of them if there are fewer. */
const MIN_SILENT = 2;

/**
 * Whether the uplink is lost, judged by `named` endpoints or those of the `installation`. Named ones count as
 * always up, so two silent ones suffice. NATS and controller may be down themselves: the uplink is lost only
 * if none responds and at least one is silent.
 */
export function isLost(source: 'named' | 'installation', reaches: readonly Reach[]): boolean {
  const silent = reaches.filter((reach) => reach === 'silent').length;
  if (source === 'named') return silent >= Math.max(1, Math.min(MIN_SILENT, reaches.length));
  return silent > 0 && !reaches.includes('responds');
}
