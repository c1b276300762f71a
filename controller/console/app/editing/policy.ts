/** How many of the regions with a vote must agree. */
export type Quorum = 'majority' | 'any' | 'all' | number;

/** The number of regions that must agree among `regions`; null if `regions` is unknown. */
export function requiredRegions(quorum: Quorum, regions: number | null): number | null {
  if (typeof quorum === 'number') return quorum;
  if (quorum === 'any') return 1;
  if (regions === null || regions === 0) return null;
  return quorum === 'all' ? regions : Math.floor(regions / 2) + 1;
}
