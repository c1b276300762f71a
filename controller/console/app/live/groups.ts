import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { project } from '../api/session.ts';
import { Throttle } from './throttle.ts';
import { useLiveEvent } from './live-stream.ts';

/** A group with its subgroups. */
export interface GroupNode {
  id: string;
  name: string;
  children: GroupNode[];
}

/** Catches changes without an event, for example after a server crash. */
const REFETCH_INTERVAL_MS = 120_000;
const NO_GROUPS: GroupNode[] = [];

/** The project's group tree, live; empty while loading. A project has at most 1,000 groups. */
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

/** Options for a select; each name includes those of its parents. */
export function groupOptions(groups: readonly GroupNode[], prefix = ''): (readonly [id: string, name: string])[] {
  return groups.flatMap(({ id, name, children }) => (
    [[id, `${prefix}${name}`] as const, ...groupOptions(children, `${prefix}${name} / `)]
  ));
}
