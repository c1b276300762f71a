import { signal } from '@preact/signals';
import { unwrap, api } from '../api/client.ts';
import type { Span } from './options.ts';

/** What a row shows of a span. */
export interface History {
  /** Percent; null where nothing was watched. */
  uptime: number | null;
  /** Uptime of each hour or day, the oldest first. */
  bars: (number | null)[];
  /** When the first of them began, Unix ms. */
  from: number;
  /** Mean response times of the last 24 hours, ms. */
  times: (number | null)[];
}

/** Shortly after the list has come to rest. */
const SETTLE_MS = 120;
const BATCH_SIZE = 100;
const PAGE_SIZE = 5000;
/** The hour that runs goes on. */
const MAX_AGE_MS = 300_000;
const MAX_CACHED = 20_000;

interface CachedHistory extends History {
  readAt: number;
}

/** The hours or days of the monitors in sight, read as they come into it. */
export class HistoryReader {
  /** Moves when something was read. */
  readonly readCount = signal(0);
  readonly #cached = new Map<string, CachedHistory>();
  #scheduled: { ids: readonly string[]; span: Span } = { ids: [], span: '24h' };
  #timer = 0;
  #isReading = false;

  get(id: string, span: Span): History | undefined {
    return this.#cached.get(`${span}${id}`);
  }

  /** Reads these soon, instead of those wanted before. */
  schedule(ids: readonly string[], span: Span): void {
    this.#scheduled = { ids, span };
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#readScheduled(), SETTLE_MS);
  }

  /** Reads the hours of all monitors, to sort by them. Rejects with ApiError. */
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
      // The bars stay empty; the next scrolling tries again.
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
    // One that is gone, or that no controller knows yet, is not asked for again and again.
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
