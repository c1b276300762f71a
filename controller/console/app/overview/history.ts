import { signal } from '@preact/signals';
import { unwrap, api } from '../api/client.ts';
import type { Span } from './options.ts';

/** What a row shows for a time range. */
export interface History {
  /** Percent; null without monitored time. */
  uptime: number | null;
  /** Uptime of each hour or day, oldest first. */
  bars: (number | null)[];
  /** Start of the first bar, Unix ms. */
  from: number;
  /** Mean response times of the last 24 hours, ms. */
  times: (number | null)[];
}

/** Delay after the list has stopped scrolling. */
const SETTLE_MS = 120;
const BATCH_SIZE = 100;
const PAGE_SIZE = 5000;
/** The current hour keeps changing. */
const MAX_AGE_MS = 300_000;
const MAX_CACHED = 20_000;

interface CachedHistory extends History {
  readAt: number;
}

/** Reads the hours or days of visible monitors as they scroll into view. */
export class HistoryReader {
  /** Incremented with each read. */
  readonly readCount = signal(0);
  readonly #cached = new Map<string, CachedHistory>();
  #scheduled: { ids: readonly string[]; span: Span } = { ids: [], span: '24h' };
  #timer = 0;
  #isReading = false;

  get(id: string, span: Span): History | undefined {
    return this.#cached.get(`${span}${id}`);
  }

  /** Schedules a read of these monitors, replacing the previous ones. */
  schedule(ids: readonly string[], span: Span): void {
    this.#scheduled = { ids, span };
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#readScheduled(), SETTLE_MS);
  }

  /** Reads the hours of all monitors, for sorting. Rejects with ApiError. */
  async readAll(signal: AbortSignal): Promise<void> {
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = { limit: String(PAGE_SIZE), include: 'hours', ...(cursor === '' ? {} : { cursor }) };
      cursor = await this.#request(query, '24h', signal);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #readScheduled(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let missing = this.#missing(); missing.length > 0; missing = this.#missing()) {
        const { span } = this.#scheduled;
        await this.#request({ ids: missing.join(','), limit: String(BATCH_SIZE), include: span === '24h' ? 'hours' : 'hours,days' }, span);
      }
    } catch {
      // The bars stay empty until scrolling retries.
    } finally {
      this.#isReading = false;
    }
  }

  #missing(): string[] {
    const { ids, span } = this.#scheduled;
    const now = performance.now();
    const isFresh = (entry: CachedHistory | undefined) => entry !== undefined && now - entry.readAt < MAX_AGE_MS;
    return ids.filter((id) => !isFresh(this.#cached.get(`${span}${id}`))).slice(0, BATCH_SIZE);
  }

  async #request(query: Record<string, string>, span: Span, signal?: AbortSignal): Promise<string | null> {
    const readAt = performance.now();
    const page = await unwrap(api.GET('/api/monitors/overview', { params: { query: query as never }, signal: signal ?? null }));
    const requestedIds = query['ids']?.split(',') ?? [];
    // Caches missing monitors, too, so that they are not requested again and again.
    for (const id of requestedIds) this.#cache(span, id, { uptime: null, bars: [], from: 0, times: [], readAt });
    for (const { id, hours = [], days = [], response_times: times = [], ...rest } of page.monitors) {
      const { uptime_24h: day = null, uptime_90d: quarter = null } = rest;
      const own = span === '24h' ? { uptime: day, bars: hours, from: page.first_hour } : { uptime: quarter, bars: days, from: page.first_day };
      this.#cache(span, id, { ...own, times, readAt });
    }
    this.readCount.value += 1;
    return page.next_cursor;
  }

  #cache(span: Span, id: string, entry: CachedHistory): void {
    const key = `${span}${id}`;
    this.#cached.delete(key);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size >= MAX_CACHED && oldest !== undefined) this.#cached.delete(oldest);
    this.#cached.set(key, entry);
  }
}
