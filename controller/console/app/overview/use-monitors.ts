import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { project } from '../api/session.ts';
import { MonitorList } from './monitor-list.ts';

/** Catches changes without an event, for example after a server crash. */
const REFETCH_INTERVAL_MS = 120_000;

/** The project's monitors, live while the view is mounted, and the state of the read. */
export function useMonitors() {
  const queries = useQueryClient();
  const projectId = project.value?.id ?? null;
  const list = useMemo(() => new MonitorList(), [projectId]);
  const queryKey = ['monitors', 'overview', projectId];
  useEffect(() => list.follow(() => void queries.invalidateQueries({ queryKey })), [list]);
  const reading = useQuery({
    queryKey, enabled: projectId !== null, queryFn: ({ signal }) => list.read(signal),
    gcTime: 0, staleTime: 5000, refetchInterval: REFETCH_INTERVAL_MS,
  });
  return { list, reading };
}
