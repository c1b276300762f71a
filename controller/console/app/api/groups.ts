import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { Soon } from '../live/soon.ts';
import { useLive } from '../live/use-live.ts';
import type { GroupNode } from '../overview/arrange.ts';
import { project } from '../session/session.ts';
import { answer, api } from './client.ts';

/** What no event has told, as after a crash of the server, is seen this soon. */
const READ_AGAIN_MS = 120_000;
const NO_GROUPS: GroupNode[] = [];

/** The project's tree of groups, live; none until they are read. A project has at most 1,000. */
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

/** Each group with the names of those above it, to choose from. */
export function groupOptions(groups: readonly GroupNode[], above = ''): (readonly [id: string, name: string])[] {
  return groups.flatMap(({ id, name, children }) => (
    [[id, `${above}${name}`] as const, ...groupOptions(children, `${above}${name} / `)]
  ));
}
