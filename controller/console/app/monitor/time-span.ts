const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Lengths by the names used in URLs. */
export const SPANS = {
  '1h': HOUR_MS, '6h': 6 * HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS, '90d': 90 * DAY_MS, '365d': 365 * DAY_MS,
} as const;
export type SpanName = keyof typeof SPANS;

export interface Span {
  from: number;
  to: number;
}

/** Maximum zoom. */
const MIN_SPAN_MS = 60_000;

/** A chart's default range: the last hour or six hours of a monitor no older than that, else 24 hours. */
export function defaultSpan(createdAt: number, now: number): SpanName {
  return (['1h', '6h'] as const).find((name) => now - createdAt < SPANS[name]) ?? '24h';
}

/** Reads the URL: `from` and `to` in Unix ms if both are valid, else the named range, else `first`. */
export function spanOf(query: Record<string, string>, now: number, first: SpanName): Span & { name: SpanName | null } {
  const [from, to] = [Number(query['from']), Number(query['to'])];
  if (Number.isInteger(from) && Number.isInteger(to) && from > 0 && to > from) {
    return { from: Math.min(from, to - MIN_SPAN_MS), to, name: null };
  }
  const name = Object.hasOwn(SPANS, query['range'] ?? '') ? query['range'] as SpanName : first;
  return { from: now - SPANS[name], to: now, name };
}

/** Zooms around the middle (in below 1) and moves by a number of spans. Ends at `now` at the latest. */
export function movedSpan({ from, to }: Span, { zoom = 1, by = 0 }: { zoom?: number; by?: number }, now: number): Span {
  const length = Math.min(SPANS['365d'], Math.max(MIN_SPAN_MS, (to - from) * zoom));
  const middle = (from + to) / 2 + by * (to - from);
  const end = Math.min(now, Math.round(middle + length / 2));
  return { from: end - Math.round(length), to: end };
}

/** Longest range for which the API lists maintenance. */
const PIECE_MS = 45 * DAY_MS;
const MAX_PIECES = 10;

/** The 45-day pieces, aligned to the epoch, that a span touches; at most the latest ten. */
export function piecesOf({ from, to }: Span): Span[] {
  const last = Math.ceil(to / PIECE_MS);
  const first = Math.max(Math.floor(from / PIECE_MS), last - MAX_PIECES);
  return Array.from({ length: last - first }, (_, at) => ({ from: (first + at) * PIECE_MS, to: (first + at + 1) * PIECE_MS }));
}

/** Above this number of checks, the chart uses hours or days. */
const MAX_CHECKS = 1500;
const PERIODS = ['24h', '7d', '30d', '90d', '365d'] as const;
/** The API has hourly data for a week and daily data before that. */
const HOURLY_MS = SPANS['7d'];

export type Source = { kind: 'checks' } | { kind: 'series'; period: (typeof PERIODS)[number]; stepMs: number };

/** The finest data for a span: individual checks, else hours or days. */
export function sourceOf({ from, to }: Span, now: number, intervalSeconds: number, regions: number): Source {
  const checks = ((to - from) / 1000 / Math.max(1, intervalSeconds)) * Math.max(1, regions);
  if (checks <= MAX_CHECKS) return { kind: 'checks' };
  const period = PERIODS.find((name) => now - SPANS[name] <= from) ?? '365d';
  return { kind: 'series', period, stepMs: now - from <= HOURLY_MS ? HOUR_MS : DAY_MS };
}
