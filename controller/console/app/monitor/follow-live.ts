import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useRef } from 'preact/hooks';
import { useLive } from '../live/use-live.ts';
import type { RegionsAnswer, Result } from './reading.ts';

/** Read anew when the monitor's state changes, as is an empty chart; long series move too little to matter. */
const MOVED = new Set(['monitor', 'now', 'regions', 'history', 'incidents', 'evidence']);

const TOGETHER_MS = 250;

/** Keeps what is shown of one monitor as it is now, without asking for each result. */
export function useFollow(id: string): void {
  const queries = useQueryClient();
  const timer = useRef(0);
  // An outage tells several things at once.
  const moved = () => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => void queries.invalidateQueries({
      predicate: ({ queryKey: [section, of, part], state: { data } }) => section === 'monitors' && of === id &&
        (MOVED.has(String(part)) || (part === 'chart' && Array.isArray(data) && data.length === 0)),
    }), TOGETHER_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useLive('monitor.state', (data) => {
    if (data['monitor_id'] === id) moved();
  });
  useLive('monitor.region', (data) => {
    if (data['monitor_id'] === id) moved();
  });
  useLive('monitor.changed', ({ monitor_ids: ids }) => {
    if ((ids as string[]).includes(id)) moved();
  });
  useLive('incident', (data) => {
    if (data['check_id'] === id) moved();
  });
  useLive('result', (data) => {
    if (data['monitor_id'] !== id) return;
    const result = { late: false, ...data } as unknown as Result;
    queries.setQueryData(['monitors', id, 'regions'], (known: RegionsAnswer | undefined) => withResult(known, result));
  });
}

export function sameCheck(one: Pick<Result, 'region' | 'probe_id' | 'checked_at'>, other: typeof one): boolean {
  return one.region === other.region && one.checked_at === other.checked_at && one.probe_id === other.probe_id;
}

function withResult(known: RegionsAnswer | undefined, { region, checked_at, response_time_ms, outcome, probe_id }: Result) {
  if (known === undefined || outcome === 'missed') return known;
  const regions = known.regions.map((one) => (one.region === region && checked_at >= (one.last_check_at ?? 0)
    ? { ...one, last_check_at: checked_at, response_time_ms, probe_id }
    : one));
  return { ...known, regions };
}
