import type { Clock } from '../../../../shared/time.ts';
import { AppError } from '../../../errors/app-error.ts';
import { DAY_MS, HOUR_MS, hourOf } from '../../../verdicts/time-accounting/time-accounting-rules.ts';
import type { StatusChange } from '../../../verdicts/monitor-state.ts';
import { unwrittenHours, unwrittenRows } from '../recent/unwritten-rows.ts';
import type { ShardQueries } from '../../shards/shard-queries.ts';
import type { ResultPage, ResultQuery, StatusSpan, TimePoint } from './history-page.ts';
import { ResultColumns } from '../../hours/result-columns.ts';
import { compareResults, cursorOf, placeOf, uniteResults } from './result-order.ts';
import {
  meanTimeOf, mergeRollups, percentileOf, rollupOf, steps, type RegionRollup, type Rollup,
} from '../../hours/rollup.ts';
import type { RollupReader } from '../statistics.ts';
import type { StoredResult } from '../../hours/stored-result.ts';

/** Hours per read, and the limit for one page: a month. */
const HOURS_PER_READ = 24;
const MAX_HOURS_PER_PAGE = 31 * 24;
/** Up to this many days, a series has one point per hour. */
const MAX_HOURLY_DAYS = 7;

export interface HistoryDeps {
  clock: Clock;
  owners: ShardQueries;
  rollups: RollupReader;
  changes: {
    before(
      monitorId: string, before: number, limit: number,
    ): Promise<{ changes: StatusChange[]; next: StatusChange | null }>;
  };
}

/**
 * The history of a monitor. Reads from owners before blocks, so that results written meanwhile are included.
 */
export class MonitorHistory {
  readonly #deps: HistoryDeps;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
  }

  /** Periods that began before `before`, newest first. */
  async statusSpans(monitorId: string, before: number, limit: number): Promise<StatusSpan[]> {
    const { changes, next } = await this.#deps.changes.before(monitorId, before, limit);
    return changes.map(({ to: status, in_maintenance = false, at: from, reason, incident_id }, index) => {
      const to = (index === 0 ? next : changes[index - 1])?.at ?? null;
      return { status, in_maintenance, from, to, reason, incident_id };
    });
  }

  /** @throws AppError VALIDATION_ERROR for an invalid cursor. */
  async results(monitorId: string, query: ResultQuery): Promise<ResultPage> {
    const after = query.cursor === undefined ? null : placeOf(query.cursor);
    if (after === null && query.cursor !== undefined) {
      const message = 'Must be a cursor from a previous page';
      throw new AppError('VALIDATION_ERROR', `Validation failed: cursor: ${message}`, {
        details: [{ code: 'custom', path: ['cursor'], message }],
      });
    }
    const { from, to, region, isSuccess } = query;
    const isWanted = (row: StoredResult) => row.started_at >= from && row.started_at < to
      && (region === undefined || row.region === region)
      && (isSuccess === undefined || (row.outcome === 'success') === isSuccess)
      && (after === null || compareResults(after, row) < 0);
    const unwritten = new Set(await unwrittenHours(this.#deps.owners, monitorId));
    const first = hourOf(query.from);
    const last = Math.min(query.to - 1, after?.started_at ?? Infinity, this.#deps.clock.now() + DAY_MS);
    let end = hourOf(last) + HOUR_MS;
    const found: StoredResult[] = [];
    const isFull = (read: number): boolean => found.length > query.limit || read >= MAX_HOURS_PER_PAGE;
    for (let read = 0, size = 2; end > first && !isFull(read); read += size, size = HOURS_PER_READ) {
      const start = Math.max(first, end - size * HOUR_MS);
      found.push(...(await this.#rows(monitorId, start, end, unwritten, query)).filter(isWanted));
      end = start;
    }
    const results = found.slice(0, query.limit);
    if (found.length > query.limit) return { results, next: cursorOf(results.at(-1) as StoredResult) };
    if (end <= first) return { results, next: null };
    // A position before all results of the hours read so far.
    const empty = { region: '', probe_id: '', scheduled_at: 0, attempt: 0, reason: 'schedule' } as const;
    return { results, next: cursorOf({ started_at: end, ...empty }) };
  }

  /**
   * By region, in chronological order: hourly for up to 7 days, otherwise daily. Skips periods without
   * checks.
   */
  async responseTimes(monitorId: string, days: number): Promise<Map<string, TimePoint[]>> {
    const now = this.#deps.clock.now();
    const stepMs = days <= MAX_HOURLY_DAYS ? HOUR_MS : DAY_MS;
    const from = now - (now % stepMs) - days * DAY_MS + stepMs;
    const unwritten = (await unwrittenHours(this.#deps.owners, monitorId)).filter((hour) => hour >= from);
    const parts = new Map<number, Rollup[]>();
    const add = (at: number, rollup: Rollup): void => {
      const start = at - (at % stepMs);
      parts.set(start, [...(parts.get(start) ?? []), rollup]);
    };
    const { owners, rollups } = this.#deps;
    const readUnwritten = async (hour: number) =>
      [hour, await unwrittenRows(owners, monitorId, hour)] as const;
    const held = await Promise.all(unwritten.map(readUnwritten));
    const rolledDays = stepMs === DAY_MS ? await this.#rolledDays(monitorId, from, now, unwritten) : [];
    for (const { day, rollup } of rolledDays) add(day, rollup);
    const isRolled = new Set(rolledDays.map(({ day }) => day));
    const missing = steps(from, now + 1, HOUR_MS)
      .filter((hour) => !unwritten.includes(hour) && !isRolled.has(hour - (hour % DAY_MS)));
    const found = await rollups.hours(missing.map((hour) => ({ monitor_id: monitorId, hour })));
    for (const { hour, rollup } of found) add(hour, rollup);
    for (const [hour, rows] of held) {
      const written = await this.#written(monitorId, [hour]);
      add(hour, rollupOf(ResultColumns.of(uniteResults(rows, written)), [0, 0, 0], 0));
    }
    return seriesOf(parts);
  }

  /** Rolled-up days for which the owner has no unwritten results. */
  async #rolledDays(
    monitorId: string, from: number, now: number, unwritten: number[],
  ): Promise<{ day: number; rollup: Rollup }[]> {
    const touched = new Set(unwritten.map((hour) => hour - (hour % DAY_MS)));
    const days = steps(from, now, DAY_MS).filter((day) => !touched.has(day));
    return this.#deps.rollups.days(days.map((day) => ({ monitor_id: monitorId, day })));
  }

  /** In order, without hours whose rollup shows no matching results. */
  async #rows(
    monitorId: string, start: number, end: number, unwritten: Set<number>, query: ResultQuery,
  ): Promise<StoredResult[]> {
    const hours = steps(start, end, HOUR_MS);
    const readUnwritten = (hour: number) => unwrittenRows(this.#deps.owners, monitorId, hour);
    const held = (await Promise.all(hours.filter((hour) => unwritten.has(hour)).map(readUnwritten))).flat();
    if (query.region === undefined && query.isSuccess === undefined) {
      return uniteResults(held, await this.#written(monitorId, hours));
    }
    const rollups = await this.#deps.rollups.hours(hours.map((hour) => ({ monitor_id: monitorId, hour })));
    const wanted = rollups.filter(({ rollup }) => mayHold(rollup, query)).map(({ hour }) => hour);
    return uniteResults(held, await this.#written(monitorId, wanted));
  }

  async #written(monitorId: string, hours: number[]): Promise<StoredResult[]> {
    const found = await this.#deps.rollups.results(hours.map((hour) => ({ monitor_id: monitorId, hour })));
    return found.flatMap(({ rows }) => rows);
  }
}

function mayHold(rollup: Rollup, { region, isSuccess }: ResultQuery): boolean {
  const counts = region === undefined ? rollup : rollup.regions[region];
  if (counts === undefined) return false;
  if (isSuccess === undefined) return true;
  return isSuccess ? counts.total > counts.failed : counts.failed + counts.missed > 0;
}

function seriesOf(parts: Map<number, Rollup[]>): Map<string, TimePoint[]> {
  const series = new Map<string, TimePoint[]>();
  for (const [at, rollups] of [...parts].sort((a, b) => a[0] - b[0])) {
    for (const [region, rollup] of Object.entries(mergeRollups(rollups).regions)) {
      if (rollup.total === 0) continue;
      const points = series.get(region);
      if (points) points.push(pointOf(at, rollup));
      else series.set(region, [pointOf(at, rollup)]);
    }
  }
  return series;
}

function pointOf(at: number, region: RegionRollup): TimePoint {
  const isTimed = region.histogram.length > 0;
  return {
    at, avg: meanTimeOf(region),
    min: isTimed ? region.time_min / 10 : null, max: isTimed ? region.time_max / 10 : null,
    p50: percentileOf(region, 0.5), p95: percentileOf(region, 0.95), p99: percentileOf(region, 0.99),
    count: region.total, failed: region.failed,
  };
}
