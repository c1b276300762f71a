import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';

/** Available regions, those with a probe first, and their names. */
export function useRegions() {
  const { data } = useQuery({
    queryKey: ['fleet', 'regions', 'names'], queryFn: () => unwrap(api.GET('/api/regions')), staleTime: 60_000,
  });
  const regions = [...data?.regions ?? []].sort((one, other) =>
    Number(other.probes_online > 0) - Number(one.probes_online > 0) || one.name.localeCompare(other.name));
  return { regions, nameOf: (id: string) => regions.find((region) => region.id === id)?.name ?? id };
}
