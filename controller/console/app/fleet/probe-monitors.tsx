import { useInfiniteQuery, type InfiniteData } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import type { components, paths } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { useLiveEvent } from '../live/live-stream.ts';
import { fleetTexts as texts } from '../texts/fleet.ts';
import { Button } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { shownState } from '../ui/shown-state.ts';
import { StateBadge } from '../ui/state.tsx';
import { Table } from '../ui/table.tsx';
import { numberText } from '../ui/time.tsx';

type Monitor = components['schemas']['ProbeMonitor'];
type MonitorPage = paths['/api/probes/{id}/monitors']['get']['responses']['200']['content']['application/json']['data'];

const PAGE_SIZE = 100;

/**
 * The monitors that a probe runs: the project's by name, those of other projects as a number. The URL holds the search.
 */
export function ProbeMonitors({ id }: { id: string }) {
  const { query, route } = useLocation();
  const search = query['search'] ?? '';
  const key = ['fleet', 'probe', id, 'monitors', search];
  const monitorsQuery = useInfiniteQuery({
    queryKey: key, initialPageParam: 0,
    queryFn: ({ pageParam: offset }) => unwrap(api.GET('/api/probes/{id}/monitors', {
      params: { path: { id }, query: { limit: PAGE_SIZE, offset, ...(search === '' ? {} : { search }) } },
    })),
    getNextPageParam: ({ pagination: { offset, limit, has_more: hasMore } }) => (hasMore ? offset + limit : undefined),
  });
  useLiveEvent('monitor.state', ({ monitor_id: changed, status, in_maintenance }) => {
    const newState = { runtimeStatus: status, in_maintenance } as Pick<Monitor, 'runtimeStatus' | 'in_maintenance'>;
    queries.setQueryData<InfiniteData<MonitorPage, number>>(key, (current) => current && {
      ...current,
      pages: current.pages.map((page) => ({
        ...page, monitors: page.monitors.map((one) => (one.id === changed ? { ...one, ...newState } : one)),
      })),
    });
  });
  const applySearch = (text: string) => {
    route(href(`/fleet/probes/${id}${text === '' ? '' : `?search=${encodeURIComponent(text)}`}`), true);
  };
  return (
    <Section title={texts.assignedMonitors}>
      <SearchField label={texts.search} maxLength={255} value={search} onValue={applySearch} />
      <QueryResult query={monitorsQuery} lines={4}>
        {({ pages }) => {
          const monitors = pages.flatMap((page) => page.monitors);
          const { others = 0, pagination } = pages[0] ?? {};
          const total = pagination?.total_count ?? 0;
          return (
            <>
              <p class="faint" role="status">
                {search === '' ? texts.ofProject(numberText(total)) : texts.found(numberText(total))}
                {others > 0 && `, ${texts.ofOthers(numberText(others))}`}
              </p>
              {monitors.length > 0 && <MonitorTable monitors={monitors} />}
              {monitorsQuery.hasNextPage && (
                <Button isBusy={monitorsQuery.isFetchingNextPage} onClick={() => void monitorsQuery.fetchNextPage()}>
                  {texts.showMore(numberText(total - monitors.length))}
                </Button>
              )}
            </>
          );
        }}
      </QueryResult>
    </Section>
  );
}

function MonitorTable({ monitors }: { monitors: Monitor[] }) {
  return (
    <Table columns={[texts.monitor, texts.type, texts.state]}>
      {monitors.map((monitor) => (
        <tr key={monitor.id}>
          <th scope="row" class="wide"><a href={href(`/monitors/${monitor.id}`)}>{monitor.name}</a></th>
          <td>{monitor.type}</td>
          <td><StateBadge state={monitor.status === 'disabled' ? 'disabled' : shownState(monitor)} /></td>
        </tr>
      ))}
    </Table>
  );
}
