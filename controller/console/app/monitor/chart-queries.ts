import { useQueries, useQuery } from '@tanstack/preact-query';
import type { Shade } from '../charts/time-chart.tsx';
import { unwrap, api } from '../api/client.ts';
import { project } from '../api/session.ts';
import type { Monitor, Result, StatusSpan } from './monitor-queries.ts';
import { piecesOf, type Source, type Span } from './time-span.ts';

const MAX_PAGES = 5;
const PAGE_SIZE = 500;

/** Checks in a time range, newest first; at most 2,500. */
async function readChecks(id: string, { from, to }: Span): Promise<Result[]> {
  const found: Result[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query: Record<string, unknown> = { from: String(from), to: String(to), limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) };
    const { results, next_cursor: next } = await unwrap(api.GET('/api/monitors/{id}/results', { params: { path: { id }, query } }));
    found.push(...results);
    if (next === null) return found;
    cursor = next;
  }
  return found;
}

/** For a long time range, phases are sampled from some checks in each of these parts. */
const SAMPLE_COUNT = 24;
const SAMPLE_SIZE = 20;

async function readSamples(id: string, { from, to }: Span): Promise<Result[]> {
  const stepMs = (to - from) / SAMPLE_COUNT;
  const pages = await Promise.all(Array.from({ length: SAMPLE_COUNT }, async (_, index) => {
    const query = { from: String(Math.round(from + index * stepMs)), to: String(Math.round(from + (index + 1) * stepMs)), success: 'true', limit: SAMPLE_SIZE } as const;
    return (await unwrap(api.GET('/api/monitors/{id}/results', { params: { path: { id }, query } }))).results;
  }));
  return pages.flat();
}

/** The checks of a chart. Rounding the range keeps the query key stable as time passes. */
export function useChecks({ id }: Monitor, span: Span, mode: 'all' | 'samples' | null) {
  return useQuery({
    queryKey: ['monitors', id, 'chart', mode, span.from, span.to], enabled: mode !== null, staleTime: 60_000,
    placeholderData: (before?: Result[]) => before,
    queryFn: () => (mode === 'all' ? readChecks(id, span) : readSamples(id, span)),
  });
}

export function useSeries({ id }: Monitor, source: Source) {
  const period = source.kind === 'series' ? source.period : '24h';
  return useQuery({
    queryKey: ['monitors', id, 'series', period], enabled: source.kind === 'series', staleTime: 120_000,
    queryFn: async () => (await unwrap(api.GET('/api/monitors/{id}/response-times', { params: { path: { id }, query: { period } } }))).series,
  });
}

const MAX_STATES = 500;

/** Newest first. */
export function useHistory(id: string) {
  return useQuery({
    queryKey: ['monitors', id, 'history'],
    queryFn: async () => (await unwrap(api.GET('/api/monitors/{id}/status-history', { params: { path: { id }, query: { limit: MAX_STATES } } }))).history,
  });
}

/** Outages, degraded periods and maintenance in a time range. */
export function useShades({ id }: Monitor, span: Span, now: number): Shade[] {
  const { data: history = [] } = useHistory(id);
  const maintenance = useMaintenance(id, span);
  return [...maintenance, ...shadesOf(history, now)].filter(({ from, to }) => to > span.from && from < span.to);
}

/** Reads pieces with fixed bounds, so that they stay cached as time passes. */
function useMaintenance(id: string, span: Span): Shade[] {
  const projectId = project.value?.id ?? '';
  const results = useQueries({
    queries: piecesOf(span).map(({ from, to }) => ({
      queryKey: ['maintenance', projectId, 'occurrences', id, from], enabled: projectId !== '', staleTime: 300_000,
      queryFn: () => unwrap(api.GET('/api/projects/{projectId}/maintenance-windows/occurrences', {
        params: { path: { projectId }, query: { from: new Date(from).toISOString(), to: new Date(to).toISOString(), monitor_id: id } },
      })),
    })),
  });
  const all = results.flatMap(({ data }) => data?.occurrences ?? []);
  // An occurrence that spans two pieces is in both.
  const unique = new Map(all.map((one) => [one.maintenance_window_id + one.starts_at, one]));
  return [...unique.values()].map(({ starts_at: from, ends_at: to }) => ({ kind: 'maintenance', from: Date.parse(from), to: Date.parse(to) }));
}

function shadesOf(history: readonly StatusSpan[], now: number): Shade[] {
  return history.flatMap(({ status, from, to }): Shade[] => (
    status === 'down' || status === 'degraded' ? [{ kind: status, from, to: to ?? now }] : []
  ));
}
