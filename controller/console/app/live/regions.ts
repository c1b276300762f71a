import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';

type Region = components['schemas']['Region'];

export type RegionNames = ReadonlyMap<string, Region>;

/** The query for all regions. */
export const regionsQuery = { queryKey: ['fleet', 'regions'], queryFn: () => unwrap(api.GET('/api/regions')) };

/** All regions by id. Empty while loading. */
export function useRegions(): RegionNames {
  const { data } = useQuery({ ...regionsQuery, staleTime: 60_000, select: byId });
  return data ?? new Map<string, Region>();
}

function byId({ regions }: { regions: Region[] }): RegionNames {
  return new Map(regions.map((region) => [region.id, region]));
}

export function regionName(regions: RegionNames, id: string): string {
  return regions.get(id)?.name ?? id;
}
