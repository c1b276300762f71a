import { useQuery } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { project } from '../session/session.ts';
import { MonitorList } from './monitor-list.ts';

/** What no event tells, as new monitors of other people, is seen this soon. */
const READ_AGAIN_MS = 120_000;

/** The project's monitors, live while the view is shown, and how reading them goes. */
export function useMonitors() {
  const projectId = project.value?.id ?? null;
  const list = useMemo(() => new MonitorList(), [projectId]);
  useEffect(() => list.follow(), [list]);
  const reading = useQuery({
    queryKey: ['monitors', 'overview', projectId], enabled: projectId !== null,
    queryFn: ({ signal }) => list.read(signal), gcTime: 0, staleTime: 5000, refetchInterval: READ_AGAIN_MS,
  });
  return { list, reading };
}
