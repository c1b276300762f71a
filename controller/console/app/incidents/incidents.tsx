import { useInfiniteQuery } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { canEdit } from '../api/session.ts';
import { useLiveEvent } from '../live/live-stream.ts';
import { useKeys } from '../shell/keys.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Ago, numberText } from '../ui/time.tsx';
import { ReportIncident } from './report-incident.tsx';
import { IncidentDuration, SEVERITIES, SeverityBadge, StatusBadge, type Incident } from './severity.tsx';

const PAGE_SIZE = 50;
const STATUSES = ['open', 'acknowledged', 'resolved', 'closed'] as const;

/** All incidents of the project, newest first, updated live. */
export default function Incidents() {
  const { query, route } = useLocation();
  const [isReporting, setReporting] = useState(false);
  const setFilter = (name: string, value: string) => {
    const params = new URLSearchParams(query);
    if (value === '') params.delete(name);
    else params.set(name, value);
    route(href(`/incidents?${params}`), true);
  };
  const filters = {
    status: STATUSES.find((one) => one === query['status']),
    severity: SEVERITIES.find((one) => one === query['severity']),
    source: (['system', 'manual'] as const).find((one) => one === query['source']),
    check_id: query['check_id'], search: query['search'],
  };
  const incidentsQuery = useInfiniteQuery({
    queryKey: ['incidents', 'list', filters], initialPageParam: 1,
    queryFn: ({ pageParam: page }) => unwrap(api.GET('/api/incidents', {
      params: { query: { ...definedValues(filters), page, limit: PAGE_SIZE } },
    })),
    getNextPageParam: ({ pagination: { page, has_more: hasMore } }) => (hasMore ? page + 1 : undefined),
  });
  useLiveEvent('incident', () => void queries.invalidateQueries({ queryKey: ['incidents', 'list'] }));
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page
      title={texts.title}
      actions={canEdit.value && <Button onClick={() => setReporting(true)}>{texts.report}</Button>}
    >
      <div class="fields incident-filters">
        <SearchField label={texts.search} maxLength={200} value={filters.search ?? ''} onValue={(value) => setFilter('search', value)} />
        <SelectField
          label={texts.status} value={filters.status ?? ''} onValue={(value) => setFilter('status', value)}
          options={[['', texts.all], ...STATUSES.map((one) => [one, texts[one]] as const)]}
        />
        <SelectField
          label={texts.severity} value={filters.severity ?? ''} onValue={(value) => setFilter('severity', value)}
          options={[['', texts.all], ...SEVERITIES.map((one) => [one, texts[one]] as const)]}
        />
        <SelectField
          label={texts.source} value={filters.source ?? ''} onValue={(value) => setFilter('source', value)}
          options={[['', texts.all], ['system', texts.system], ['manual', texts.manual]]}
        />
      </div>
      <QueryResult query={incidentsQuery} lines={8}>
        {({ pages }) => {
          const incidents = pages.flatMap((one) => one.incidents);
          if (incidents.length === 0) {
            return (
              <Empty title={texts.none}>
                <p>{isFiltered ? texts.noneFiltered : texts.noneText}</p>
                {isFiltered && <Button onClick={() => route(href('/incidents'))}>{texts.clearFilters}</Button>}
              </Empty>
            );
          }
          return (
            <>
              <p class="faint" role="status">{texts.found(numberText(pages[0]?.pagination.total_count ?? 0))}</p>
              <IncidentTable incidents={incidents} />
              {incidentsQuery.hasNextPage && (
                <Button isBusy={incidentsQuery.isFetchingNextPage} onClick={() => void incidentsQuery.fetchNextPage()}>{texts.more}</Button>
              )}
            </>
          );
        }}
      </QueryResult>
      {isReporting && <ReportIncident onClose={() => setReporting(false)} />}
    </Page>
  );
}

/** Rows can be navigated with the arrow keys or j and k. */
function IncidentTable({ incidents }: { incidents: Incident[] }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const step = (by: number) => {
    const links = [...body.current?.querySelectorAll<HTMLElement>('a[data-row]') ?? []];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
  };
  useKeys([
    { keys: 'j', text: texts.next, run: () => step(1) },
    { keys: 'k', text: texts.previous, run: () => step(-1) },
  ]);
  return (
    <div class="table-wrap">
      <table class="stacked incident-table">
        <thead>
          <tr>
            <th scope="col">{texts.status}</th><th scope="col">{texts.incident}</th><th scope="col">{texts.severity}</th>
            <th scope="col">{texts.where}</th><th scope="col">{texts.startedAt}</th><th scope="col">{texts.duration}</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {incidents.map((incident) => (
            <tr key={incident.id}>
              <td><StatusBadge status={incident.status} /></td>
              <td class="wide">
                <a data-row href={href(`/incidents/${incident.id}`)}>{incident.title}</a>
                <p class="faint small">{[incident.monitor_name, incident.error_message].filter(Boolean).join(' · ')}</p>
                {incident.diagnosis !== null && <p class="small">{incident.diagnosis.summary}</p>}
              </td>
              <td><SeverityBadge severity={incident.severity} /></td>
              <td>{incident.affected_regions.join(', ')}</td>
              <td data-label={texts.startedAt}><Ago at={incident.started_at} /></td>
              <td data-label={texts.duration}><IncidentDuration incident={incident} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function definedValues<T extends object>(from: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
