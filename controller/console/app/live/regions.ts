import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';

type Region = components['schemas']['Region'];

export type RegionNames = ReadonlyMap<string, Region>;

/** All regions by id. Empty while loading. */
export function useRegions(): RegionNames {
  const { data } = useQuery({
    queryKey: ['regions', 'by-id'], staleTime: 300_000,
    queryFn: async () => new Map((await unwrap(api.GET('/api/regions'))).regions.map((region) => [region.id, region])),
  });
  return data ?? new Map<string, Region>();
}

export function regionName(regions: RegionNames, id: string): string {
  return regions.get(id)?.name ?? id;
}
