import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import { Soon } from '../live/soon.ts';
import { useLive } from '../live/use-live.ts';
import { project } from '../session/session.ts';
import type { GroupNode } from './arrange.ts';
import { MonitorList } from './monitor-list.ts';

/** What no event has told, as after a crash of the server, is seen this soon. */
const READ_AGAIN_MS = 120_000;

/** The project's monitors, live while the view is shown, and how reading them goes. */
export function useMonitors() {
  const queries = useQueryClient();
  const projectId = project.value?.id ?? null;
  const list = useMemo(() => new MonitorList(), [projectId]);
  const queryKey = ['monitors', 'overview', projectId];
  useEffect(() => list.follow(() => void queries.invalidateQueries({ queryKey })), [list]);
  const reading = useQuery({
    queryKey, enabled: projectId !== null, queryFn: ({ signal }) => list.read(signal),
    gcTime: 0, staleTime: 5000, refetchInterval: READ_AGAIN_MS,
  });
  return { list, reading };
}

const NO_GROUPS: GroupNode[] = [];

/** The project's tree of groups, live. */
export function useGroups(): GroupNode[] {
  const queries = useQueryClient();
  const queryKey = ['groups', 'hierarchy', project.value?.id];
  const { data } = useQuery({ queryKey, queryFn: () => answer(api.GET('/api/groups/hierarchy')), refetchInterval: READ_AGAIN_MS });
  const soon = useMemo(() => new Soon(() => void queries.invalidateQueries({ queryKey: ['groups'] })), []);
  useEffect(() => () => soon.stop(), []);
  useLive('group.changed', () => soon.ask());
  useLive('group.deleted', () => soon.ask());
  return (data?.groups as GroupNode[] | undefined) ?? NO_GROUPS;
}
