import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import type { Mark } from '../charts/time-chart.tsx';

export type Change = components['schemas']['Change'];

const REFRESH_MS = 30_000;
const MAX_LIMIT = 200;

/** The newest changes of a monitor; those before a time (Unix ms) unless it is null. */
export function useChanges(id: string, limit: number, before: number | null = null) {
  return useQuery({
    queryKey: ['monitors', id, 'changes', limit, before], refetchInterval: before === null ? REFRESH_MS : false,
    placeholderData: (previous?: Change[]) => previous,
    queryFn: async () => {
      const query = before === null ? { limit } : { limit, before };
      return (await unwrap(api.GET('/api/monitors/{id}/changes', { params: { path: { id }, query } }))).changes;
    },
  });
}

/** Changes within a time range, newest first. */
export function useChangesIn(id: string, { from, to }: { from: number; to: number }, isLatest: boolean): Change[] {
  const { data = [] } = useChanges(id, MAX_LIMIT, isLatest ? null : to);
  return data.filter(({ at }) => at >= from && at <= to);
}

/** Markers are solid lines, changes dashed ones. */
export function marksOf(changes: readonly Change[]): Mark[] {
  return changes.map(({ at, kind }) => ({ at, isDashed: kind !== 'marker' }));
}
