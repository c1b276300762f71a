import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { shownState } from '../ui/shown-state.ts';
import type { State } from '../ui/state.tsx';
import type { Monitor, Region } from './response-types.ts';

export type * from './response-types.ts';

const withId = (id: string) => ({ params: { path: { id } } });

/** The monitor's settings and state. */
export function useMonitor(id: string) {
  return useQuery({
    queryKey: ['monitors', id, 'monitor'],
    queryFn: async () => (await unwrap(api.GET('/api/monitors/{id}', withId(id)))).monitor,
  });
}

/** Its state since when, and uptime by hour and day; null where the overview lacks it. */
export function useMonitorNow(id: string) {
  return useQuery({
    queryKey: ['monitors', id, 'now'],
    queryFn: async () => {
      const query = { ids: id, include: 'hours,days', limit: 1 };
      const page = await unwrap(api.GET('/api/monitors/overview', { params: { query } }));
      return { monitor: page.monitors[0] ?? null, firstHour: page.first_hour, firstDay: page.first_day };
    },
  });
}

/** How each region sees it. */
export function useRegionStatuses(id: string) {
  return useQuery({
    queryKey: ['monitors', id, 'regions'],
    queryFn: () => unwrap(api.GET('/api/monitors/{id}/regions', withId(id))),
  });
}

export type RegionNames = ReadonlyMap<string, Region>;

/** All regions by id. Empty until they are known. */
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

/** The state as people name it: paused and disabled go before what checks say. */
export function stateOf(monitor: Pick<Monitor, 'status' | 'runtimeStatus' | 'in_maintenance'>): State {
  return monitor.status === 'disabled' ? 'disabled' : shownState(monitor);
}
