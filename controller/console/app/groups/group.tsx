import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { ApiError } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { useLiveEvent } from '../live/live-stream.ts';
import { Throttle } from '../live/throttle.ts';
import { NotFound } from '../shell/not-found.tsx';
import { groupTexts as texts } from '../texts/groups.ts';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { ManagedNote } from '../ui/managed.tsx';
import { Empty, Page, Section } from '../ui/page.tsx';
import { shownState } from '../ui/shown-state.ts';
import { StateDot } from '../ui/state.tsx';
import { dependencyTrees, type TreeNode } from './dependency-tree.ts';

/** Catches changes without an event. */
const REFETCH_INTERVAL_MS = 60_000;

/** One group: its monitors, each with those it depends on. */
export default function GroupView() {
  const { params: { id = '' } } = useRoute();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ['groups', id], refetchInterval: REFETCH_INTERVAL_MS,
    queryFn: () => unwrap(api.GET('/api/groups/{id}', { params: { path: { id } } })),
  });
  const throttle = useMemo(() => new Throttle(() => void queries.invalidateQueries({ queryKey: ['groups', id] })), [id]);
  useEffect(() => () => throttle.stop(), [throttle]);
  for (const kind of ['monitor.state', 'monitor.changed', 'monitor.deleted', 'group.changed'] as const) {
    useLiveEvent(kind, () => throttle.trigger());
  }
  if (query.error instanceof ApiError && [400, 404].includes(query.error.status)) return <NotFound />;
  return (
    <QueryResult query={query} lines={8}>
      {(group) => (
        <Page title={group.path.map(({ name }) => name).join(' / ')} back={{ to: '/monitors?group=tree', text: texts.back }}>
          <ManagedNote owner={group.managed_by} />
          {group.description !== undefined && <p>{group.description}</p>}
          <Section title={texts.dependencies}>
            {group.monitors.length === 0
              ? <Empty title={texts.noMonitors} />
              : <><p class="hint">{texts.hint}</p><Tree nodes={dependencyTrees(group)} label={texts.dependencies} /></>}
          </Section>
        </Page>
      )}
    </QueryResult>
  );
}

function Tree({ nodes, label }: { nodes: readonly TreeNode[]; label: string }) {
  return (
    <ul class="dependency-tree" aria-label={label}>
      {nodes.map(({ monitor, children }) => (
        <li key={monitor.id}>
          <StateDot state={shownState(monitor)} /> <a href={href(`/monitors/${monitor.id}`)}>{monitor.name}</a>
          {children.length > 0 && <Tree nodes={children} label={texts.dependsOn(monitor.name)} />}
        </li>
      ))}
    </ul>
  );
}
