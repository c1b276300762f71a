import { useInfiniteQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { useLiveEvent } from '../live/live-stream.ts';
import { regionName, useRegions } from '../live/regions.ts';
import { checkTexts } from '../texts/checks.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { Button } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { Empty } from '../ui/page.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { CheckRow } from './check-row.tsx';
import { sameCheck } from './follow-live.ts';
import { useRegionStatuses, type Monitor, type Result } from './monitor-queries.ts';

const PAGE_SIZE = 50;
const MAX_LIVE_CHECKS = 200;
const OUTCOMES = ['all', 'failed', 'passed'] as const;

/** All checks, newest first, updated live. The URL holds the filters for region, outcome and time. */
export function Checks({ monitor: { id } }: { monitor: Monitor }) {
  const { query: search, path, route } = useLocation();
  const outcome = OUTCOMES.find((one) => one === search['outcome']) ?? 'all';
  const region = search['region'] ?? '';
  const before = search['before'] ?? '';
  const filter = {
    ...(outcome === 'all' ? {} : { success: outcome === 'passed' ? 'true' as const : 'false' as const }),
    ...(region === '' ? {} : { region }), ...(Number.isNaN(Date.parse(before)) ? {} : { to: String(Date.parse(before)) }),
  };
  const setParam = (name: string, value: string) => {
    const params = new URLSearchParams(search);
    if (value === '') params.delete(name);
    else params.set(name, value);
    route(href(`${path}?${params.toString()}`));
  };
  const pages = useInfiniteQuery({
    queryKey: ['monitors', id, 'checks', filter], initialPageParam: '',
    queryFn: ({ pageParam: cursor }) => {
      const query = { limit: PAGE_SIZE, ...filter, ...(cursor === '' ? {} : { cursor }) };
      return unwrap(api.GET('/api/monitors/{id}/results', { params: { path: { id }, query } }));
    },
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const loaded = pages.data?.pages.flatMap(({ results }) => results);
  const liveChecks = useLiveChecks(id).filter((one) => (
    'to' in filter || loaded?.some((other) => sameCheck(one, other)) ? false
      : (region === '' || one.region === region) && (outcome === 'all' || one.success === (outcome === 'passed'))
  ));
  const visible = loaded && [...liveChecks, ...loaded];
  const regionStatuses = useRegionStatuses(id).data?.regions ?? [];
  const regions = useRegions();
  return (
    <div class="section">
      <div class="chart-choices" role="search" aria-label={checkTexts.filters}>
        <label class="chart-choice">
          <span class="faint small">{checkTexts.outcome}</span>
          <select value={outcome} onChange={({ currentTarget: { value } }) => setParam('outcome', value === 'all' ? '' : value)}>
            {OUTCOMES.map((one) => <option key={one} value={one}>{checkTexts[one]}</option>)}
          </select>
        </label>
        <label class="chart-choice">
          <span class="faint small">{monitorTexts.region}</span>
          <select value={region} onChange={({ currentTarget: { value } }) => setParam('region', value)}>
            <option value="">{monitorTexts.allRegions}</option>
            {regionStatuses.map(({ region: one }) => <option key={one} value={one}>{regionName(regions, one)}</option>)}
          </select>
        </label>
        <label class="chart-choice">
          <span class="faint small">{checkTexts.before}</span>
          <input type="datetime-local" value={before} onChange={({ currentTarget: { value } }) => setParam('before', value)} />
        </label>
      </div>
      <QueryResult query={{ ...pages, data: visible }} lines={8}>
        {(results) => (results.length === 0 && !pages.hasNextPage
          ? <Empty title={checkTexts.none}><p>{checkTexts.noneText}</p></Empty>
          : (
            <ul class="checks">
              {results.map((result) => <CheckRow key={`${result.checked_at} ${result.region} ${result.probe_id}`} result={result} />)}
            </ul>
          ))}
      </QueryResult>
      {pages.hasNextPage && (
        <Button isBusy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>{checkTexts.older}</Button>
      )}
    </div>
  );
}

/** Checks since the view was opened, newest first. */
function useLiveChecks(id: string): Result[] {
  const [liveChecks, setLiveChecks] = useState<Result[]>([]);
  useLiveEvent('result', (data) => {
    if (data['monitor_id'] !== id) return;
    const result = { late: false, ...data } as unknown as Result;
    setLiveChecks((before) => (before.some((one) => sameCheck(one, result))
      ? before
      : [result, ...before].sort((one, other) => other.checked_at - one.checked_at).slice(0, MAX_LIVE_CHECKS)));
  });
  return liveChecks;
}
