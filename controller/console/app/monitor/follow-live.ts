import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useRef } from 'preact/hooks';
import { useLiveEvent } from '../live/live-stream.ts';
import type { RegionsResponse, Result } from './monitor-queries.ts';

/** Queries to refetch when the monitor's state changes. Long series change too little to matter. */
const AFFECTED_QUERIES = new Set(['monitor', 'now', 'regions', 'history', 'incidents', 'evidence', 'pings', 'changes']);

const BATCH_DELAY_MS = 250;

/** Keeps the view of a monitor current without a request per result. */
export function useMonitorLive(id: string): void {
  const queries = useQueryClient();
  const timer = useRef(0);
  // An outage emits several events at once.
  const scheduleRefetch = () => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => void queries.invalidateQueries({
      predicate: ({ queryKey: [section, monitorId, part], state: { data } }) => section === 'monitors' && monitorId === id &&
        (AFFECTED_QUERIES.has(String(part)) || (part === 'chart' && Array.isArray(data) && data.length === 0)),
    }), BATCH_DELAY_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveEvent('monitor.state', (data) => {
    if (data['monitor_id'] === id) scheduleRefetch();
  });
  useLiveEvent('monitor.region', (data) => {
    if (data['monitor_id'] === id) scheduleRefetch();
  });
  useLiveEvent('monitor.changed', ({ monitor_ids: ids }) => {
    if ((ids as string[]).includes(id)) scheduleRefetch();
  });
  useLiveEvent('incident', (data) => {
    if (data['check_id'] === id) scheduleRefetch();
  });
  useLiveEvent('result', (data) => {
    if (data['monitor_id'] !== id) return;
    const result = { late: false, ...data } as unknown as Result;
    queries.setQueryData(['monitors', id, 'regions'], (current: RegionsResponse | undefined) => withResult(current, result));
  });
}

export function sameCheck(one: Pick<Result, 'region' | 'probe_id' | 'checked_at'>, other: typeof one): boolean {
  return one.region === other.region && one.checked_at === other.checked_at && one.probe_id === other.probe_id;
}

function withResult(current: RegionsResponse | undefined, { region, checked_at, response_time_ms, outcome, probe_id }: Result) {
  if (current === undefined || outcome === 'missed') return current;
  const regions = current.regions.map((one) => (one.region === region && checked_at >= (one.last_check_at ?? 0)
    ? { ...one, last_check_at: checked_at, response_time_ms, probe_id }
    : one));
  return { ...current, regions };
}
