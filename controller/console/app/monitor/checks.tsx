import { useInfiniteQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import { useLive } from '../live/use-live.ts';
import { checkTexts } from '../texts/checks.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { Button } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { Empty } from '../ui/page.tsx';
import { Shown } from '../ui/loading.tsx';
import { CheckRow } from './check-row.tsx';
import { sameCheck } from './follow-live.ts';
import { regionName, useRegions, useRegionVerdicts, type Monitor, type Result } from './reading.ts';

const PAGE = 50;
const MOST_FRESH = 200;
const OUTCOMES = ['all', 'failed', 'passed'] as const;

/** Each check, newest first, as it happens; by region, outcome and time, which the address names. */
export function Checks({ monitor: { id } }: { monitor: Monitor }) {
  const { query: asked, path, route } = useLocation();
  const outcome = OUTCOMES.find((one) => one === asked['outcome']) ?? 'all';
  const region = asked['region'] ?? '';
  const before = asked['before'] ?? '';
  const filter = {
    ...(outcome === 'all' ? {} : { success: outcome === 'passed' ? 'true' as const : 'false' as const }),
    ...(region === '' ? {} : { region }), ...(Number.isNaN(Date.parse(before)) ? {} : { to: String(Date.parse(before)) }),
  };
  const set = (name: string, value: string) => {
    const params = new URLSearchParams(asked);
    if (value === '') params.delete(name);
    else params.set(name, value);
    route(href(`${path}?${params.toString()}`));
  };
  const pages = useInfiniteQuery({
    queryKey: ['monitors', id, 'checks', filter], initialPageParam: '',
    queryFn: ({ pageParam: cursor }) => {
      const query = { limit: PAGE, ...filter, ...(cursor === '' ? {} : { cursor }) };
      return answer(api.GET('/api/monitors/{id}/results', { params: { path: { id }, query } }));
    },
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const known = pages.data?.pages.flatMap(({ results }) => results);
  const fresh = useFresh(id).filter((one) => (
    'to' in filter || known?.some((other) => sameCheck(one, other)) ? false
      : (region === '' || one.region === region) && (outcome === 'all' || one.success === (outcome === 'passed'))
  ));
  const shown = known && [...fresh, ...known];
  const verdicts = useRegionVerdicts(id).data?.regions ?? [];
  const regions = useRegions();
  return (
    <div class="section">
      <div class="chart-choices" role="search" aria-label={checkTexts.filters}>
        <label class="chart-choice">
          <span class="faint small">{checkTexts.outcome}</span>
          <select value={outcome} onChange={({ currentTarget: { value } }) => set('outcome', value === 'all' ? '' : value)}>
            {OUTCOMES.map((one) => <option key={one} value={one}>{checkTexts[one]}</option>)}
          </select>
        </label>
        <label class="chart-choice">
          <span class="faint small">{monitorTexts.region}</span>
          <select value={region} onChange={({ currentTarget: { value } }) => set('region', value)}>
            <option value="">{monitorTexts.allRegions}</option>
            {verdicts.map(({ region: one }) => <option key={one} value={one}>{regionName(regions, one)}</option>)}
          </select>
        </label>
        <label class="chart-choice">
          <span class="faint small">{checkTexts.before}</span>
          <input type="datetime-local" value={before} onChange={({ currentTarget: { value } }) => set('before', value)} />
        </label>
      </div>
      <Shown of={{ ...pages, data: shown }} lines={8}>
        {(results) => (results.length === 0 && !pages.hasNextPage
          ? <Empty title={checkTexts.none}><p>{checkTexts.noneLong}</p></Empty>
          : (
            <ul class="checks">
              {results.map((result) => <CheckRow key={`${result.checked_at} ${result.region} ${result.probe_id}`} result={result} />)}
            </ul>
          ))}
      </Shown>
      {pages.hasNextPage && (
        <Button isBusy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>{checkTexts.older}</Button>
      )}
    </div>
  );
}

/** Checks since the view was opened, newest first. */
function useFresh(id: string): Result[] {
  const [fresh, setFresh] = useState<Result[]>([]);
  useLive('result', (data) => {
    if (data['monitor_id'] !== id) return;
    const result = { late: false, ...data } as unknown as Result;
    setFresh((before) => (before.some((one) => sameCheck(one, result))
      ? before
      : [result, ...before].sort((one, other) => other.checked_at - one.checked_at).slice(0, MOST_FRESH)));
  });
  return fresh;
}
