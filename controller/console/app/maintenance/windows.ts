import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { project } from '../api/session.ts';

export type Window = components['schemas']['MaintenanceWindow'];
/** Windows start and end without a live event. */
const REFETCH_INTERVAL_MS = 60_000;

/** The current project; views are only shown with one. */
export function projectId(): string {
  return project.value?.id ?? '';
}

export function useWindows() {
  const path = { projectId: projectId() };
  return useQuery({
    queryKey: ['maintenance', path.projectId], refetchInterval: REFETCH_INTERVAL_MS,
    queryFn: () => unwrap(api.GET('/api/projects/{projectId}/maintenance-windows', { params: { path } })),
  });
}

export function invalidateWindows(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['maintenance'] });
}

const ORDER: readonly Window['status'][] = ['active', 'scheduled', 'over'];

/** Current windows first, then upcoming ones, then past ones, latest first. */
export function sortWindows(windows: readonly Window[]): Window[] {
  return [...windows].sort((one, other) => {
    const rank = ORDER.indexOf(one.status) - ORDER.indexOf(other.status);
    const [a, b] = [one, other].map(({ occurrence, starts_at: at }) => Date.parse(occurrence?.starts_at ?? at)) as [number, number];
    return rank !== 0 ? rank : one.status === 'over' ? b - a : a - b;
  });
}
