import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { shownState } from '../ui/shown-state.ts';
import type { State } from '../ui/state.tsx';
import type { Monitor } from './response-types.ts';

export type * from './response-types.ts';

const withId = (id: string) => ({ params: { path: { id } } });

/** The monitor's settings and state. */
export function useMonitor(id: string) {
  return useQuery({
    queryKey: ['monitors', id, 'monitor'],
    queryFn: async () => (await unwrap(api.GET('/api/monitors/{id}', withId(id)))).monitor,
  });
}

/** State, its start, and uptime by hour and day; null if the overview lacks the monitor. */
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

/** The monitor's status in each region. */
export function useRegionStatuses(id: string) {
  return useQuery({
    queryKey: ['monitors', id, 'regions'],
    queryFn: () => unwrap(api.GET('/api/monitors/{id}/regions', withId(id))),
  });
}

/** The displayed state: paused and disabled take precedence over check results. */
export function stateOf(monitor: Pick<Monitor, 'status' | 'runtimeStatus' | 'in_maintenance'>): State {
  return monitor.status === 'disabled' ? 'disabled' : shownState(monitor);
}
