import { useInfiniteQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { auditActions } from '../texts/audit-actions.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { Button } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Empty, Section } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Entry = components['schemas']['AuditEntry'];
const PAGE_SIZE = 50;
const FILTERS = ['action', 'actor_id', 'resource_id'] as const;

/** The audit log, newest first. Each value links to all entries that share it; the URL holds the filter. */
export function AuditLog() {
  const { query } = useLocation();
  const filter = Object.fromEntries(FILTERS.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));
  const entriesQuery = useInfiniteQuery({
    queryKey: ['settings', 'audit', filter], initialPageParam: 1,
    queryFn: ({ pageParam: page }) => unwrap(api.GET('/api/audit-log', { params: { query: { ...filter, page, limit: PAGE_SIZE } } })),
    getNextPageParam: ({ pagination: { page, has_more: hasMore } }) => (hasMore ? page + 1 : undefined),
  });
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Section title={texts.audit} actions={isFiltered && <a href={href('/settings/audit')}>{texts.showAll}</a>}>
      <p class="hint">{texts.auditText}</p>
      <QueryResult query={entriesQuery} lines={8}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          return entries.length === 0 ? <Empty title={texts.noEntries} /> : <Entries entries={entries} />;
        }}
      </QueryResult>
      {entriesQuery.hasNextPage && (
        <Button isBusy={entriesQuery.isFetchingNextPage} onClick={() => void entriesQuery.fetchNextPage()}>{texts.more}</Button>
      )}
    </Section>
  );
}

function Entries({ entries }: { entries: Entry[] }) {
  return (
    <Table class="audit" columns={[texts.when, texts.who, texts.what, texts.changedFields]}>
      {entries.map(({ id, created_at: at, actor, action, resource, fields, request_id: request }) => (
        <tr key={id} title={request}>
          <td><Time at={at} /></td>
          <td>{actor.id === null ? '–' : <FilterLink by="actor_id" value={actor.id} text={actor.name ?? actor.id} />}</td>
          <td class="wide">
            <FilterLink by="action" value={action} text={auditActions[action] ?? action} />
            {resource.id !== null && <> <FilterLink by="resource_id" value={resource.id} text={`…${resource.id.slice(-8)}`} /></>}
          </td>
          <td class="faint small">{fields.join(', ')}</td>
        </tr>
      ))}
    </Table>
  );
}

function FilterLink({ by, value, text }: { by: (typeof FILTERS)[number]; value: string; text: string }) {
  return <a href={href(`/settings/audit?${new URLSearchParams({ [by]: value })}`)}>{text}</a>;
}
