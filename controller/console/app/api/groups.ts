import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { Throttle } from '../live/throttle.ts';
import { useLiveEvent } from '../live/use-live-event.ts';
import type { GroupNode } from '../overview/arrange.ts';
import { project } from '../session/session.ts';
import { unwrap, api } from './client.ts';

/** What no event has told, as after a crash of the server, is seen this soon. */
const REFETCH_INTERVAL_MS = 120_000;
const NO_GROUPS: GroupNode[] = [];

/** The project's tree of groups, live; none until they are read. A project has at most 1,000. */
export function useGroups(): GroupNode[] {
  const queries = useQueryClient();
  const queryKey = ['groups', 'hierarchy', project.value?.id];
  const { data } = useQuery({ queryKey, queryFn: () => unwrap(api.GET('/api/groups/hierarchy')), refetchInterval: REFETCH_INTERVAL_MS });
  const throttle = useMemo(() => new Throttle(() => void queries.invalidateQueries({ queryKey: ['groups'] })), []);
  useEffect(() => () => throttle.stop(), []);
  useLiveEvent('group.changed', () => throttle.trigger());
  useLiveEvent('group.deleted', () => throttle.trigger());
  return (data?.groups as GroupNode[] | undefined) ?? NO_GROUPS;
}

/** Each group with the names of those above it, to choose from. */
export function groupOptions(groups: readonly GroupNode[], prefix = ''): (readonly [id: string, name: string])[] {
  return groups.flatMap(({ id, name, children }) => (
    [[id, `${prefix}${name}`] as const, ...groupOptions(children, `${prefix}${name} / `)]
  ));
}
