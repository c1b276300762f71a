import { useQuery } from '@tanstack/preact-query';
import { answer, api } from '../api/client.ts';
import type { paths } from '../api/openapi.d.ts';
import type { State } from '../ui/state.tsx';

type Data<P extends keyof paths, M extends 'get' | 'post'> =
  paths[P] extends Record<M, { responses: { 200: { content: { 'application/json': { data: infer D } } } } }> ? D : never;

export type Monitor = Data<'/api/monitors/{id}', 'get'>['monitor'];
export type MonitorNow = Data<'/api/monitors/overview', 'get'>['monitors'][number];
export type RegionsAnswer = Data<'/api/monitors/{id}/regions', 'get'>;
export type RegionVerdict = RegionsAnswer['regions'][number];
export type Region = Data<'/api/regions', 'get'>['regions'][number];
export type Result = Data<'/api/monitors/{id}/results', 'get'>['results'][number];
export type Evidence = Data<'/api/monitors/{id}/evidence', 'get'>['evidence'][number];
export type Series = Data<'/api/monitors/{id}/response-times', 'get'>['series'];
export type StatusSpan = Data<'/api/monitors/{id}/status-history', 'get'>['history'][number];
export type Simulation = Data<'/api/monitors/{id}/simulate', 'post'>;

const of = (id: string) => ({ params: { path: { id } } });

/** The monitor's settings and state. */
export function useMonitor(id: string) {
  return useQuery({
    queryKey: ['monitors', id, 'settings'],
    queryFn: async () => (await answer(api.GET('/api/monitors/{id}', of(id)))).monitor,
  });
}

/** Its state since when, and uptime by hour and day; null where the overview lacks it. */
export function useMonitorNow(id: string) {
  return useQuery({
    queryKey: ['monitors', id, 'now'],
    queryFn: async () => {
      const query = { ids: id, include: 'hours,days', limit: 1 };
      const page = await answer(api.GET('/api/monitors/overview', { params: { query } }));
      return { monitor: page.monitors[0] ?? null, firstHour: page.first_hour, firstDay: page.first_day };
    },
  });
}

/** How each region sees it. */
export function useRegionVerdicts(id: string) {
  return useQuery({
    queryKey: ['monitors', id, 'regions'],
    queryFn: () => answer(api.GET('/api/monitors/{id}/regions', of(id))),
  });
}

export type RegionNames = ReadonlyMap<string, Region>;

/** All regions by id. Empty until they are known. */
export function useRegions(): RegionNames {
  const { data } = useQuery({
    queryKey: ['regions', 'by-id'], staleTime: 300_000,
    queryFn: async () => new Map((await answer(api.GET('/api/regions'))).regions.map((region) => [region.id, region])),
  });
  return data ?? new Map<string, Region>();
}

export function regionName(regions: RegionNames, id: string): string {
  return regions.get(id)?.name ?? id;
}

/** The state as people name it: paused and disabled go before what checks say. */
export function stateOf({ status, runtimeStatus }: Pick<Monitor, 'status' | 'runtimeStatus'>): State {
  return status === 'disabled' ? 'disabled' : runtimeStatus;
}
