/** How many of the regions with a verdict must agree. */
export type Quorum = 'majority' | 'any' | 'all' | number;

/** Regions that must agree among `regions`; null if the number of regions is not known. */
export function requiredRegions(quorum: Quorum, regions: number | null): number | null {
  if (typeof quorum === 'number') return quorum;
  if (quorum === 'any') return 1;
  if (regions === null || regions === 0) return null;
  return quorum === 'all' ? regions : Math.floor(regions / 2) + 1;
}
