const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Lengths by the names that addresses carry. */
export const SPANS = {
  '1h': HOUR_MS, '6h': 6 * HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS, '90d': 90 * DAY_MS, '365d': 365 * DAY_MS,
} as const;
export type SpanName = keyof typeof SPANS;

export interface Span {
  from: number;
  to: number;
}

/** Nothing is shown closer than this. */
const MIN_SPAN_MS = 60_000;

/** The time range that a chart begins with: the last hour or six of a monitor that is no older, else 24 hours. */
export function defaultSpan(createdAt: number, now: number): SpanName {
  return (['1h', '6h'] as const).find((name) => now - createdAt < SPANS[name]) ?? '24h';
}

/** From the address: `from` and `to` in Unix ms if both make sense, else the time range that it names, else `first`. */
export function spanOf(query: Record<string, string>, now: number, first: SpanName): Span & { name: SpanName | null } {
  const [from, to] = [Number(query['from']), Number(query['to'])];
  if (Number.isInteger(from) && Number.isInteger(to) && from > 0 && to > from) {
    return { from: Math.min(from, to - MIN_SPAN_MS), to, name: null };
  }
  const name = Object.hasOwn(SPANS, query['range'] ?? '') ? query['range'] as SpanName : first;
  return { from: now - SPANS[name], to: now, name };
}

/** Closer (less than 1) or farther around the middle, and moved by so many spans. It ends at `now` at the latest. */
export function movedSpan({ from, to }: Span, { zoom = 1, by = 0 }: { zoom?: number; by?: number }, now: number): Span {
  const length = Math.min(SPANS['365d'], Math.max(MIN_SPAN_MS, (to - from) * zoom));
  const middle = (from + to) / 2 + by * (to - from);
  const end = Math.min(now, Math.round(middle + length / 2));
  return { from: end - Math.round(length), to: end };
}

/** What the API lists of maintenance at once. */
const PIECE_MS = 45 * DAY_MS;
const MAX_PIECES = 10;

/** The parts of all time, each of 45 days, that a span touches; the latest ten of a longer one. */
export function piecesOf({ from, to }: Span): Span[] {
  const last = Math.ceil(to / PIECE_MS);
  const first = Math.max(Math.floor(from / PIECE_MS), last - MAX_PIECES);
  return Array.from({ length: last - first }, (_, at) => ({ from: (first + at) * PIECE_MS, to: (first + at + 1) * PIECE_MS }));
}

/** What single checks may be asked for; beyond it hours and days are shown. */
const MAX_CHECKS = 1500;
const PERIODS = ['24h', '7d', '30d', '90d', '365d'] as const;
/** The API has hours of a week, and days before it. */
const HOURLY_MS = SPANS['7d'];

export type Source = { kind: 'checks' } | { kind: 'series'; period: (typeof PERIODS)[number]; stepMs: number };

/** The finest there is for a span: each check, or else hours or days. */
export function sourceOf({ from, to }: Span, now: number, intervalSeconds: number, regions: number): Source {
  const checks = ((to - from) / 1000 / Math.max(1, intervalSeconds)) * Math.max(1, regions);
  if (checks <= MAX_CHECKS) return { kind: 'checks' };
  const period = PERIODS.find((name) => now - SPANS[name] <= from) ?? '365d';
  return { kind: 'series', period, stepMs: now - from <= HOURLY_MS ? HOUR_MS : DAY_MS };
}
