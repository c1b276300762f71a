import { signal } from '@preact/signals';
import { answer, api } from '../api/client.ts';
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
const WAIT_MS = 120;
const AT_ONCE = 100;
const PAGE_SIZE = 5000;
/** The hour that runs goes on. */
const GOOD_MS = 300_000;
const MOST_KEPT = 20_000;

interface Kept extends History {
  readAt: number;
}

/** The hours or days of the monitors in sight, read as they come into it. */
export class HistoryReader {
  /** Moves when something was read. */
  readonly read = signal(0);
  readonly #kept = new Map<string, Kept>();
  #wanted: { ids: readonly string[]; span: Span } = { ids: [], span: '24h' };
  #timer = 0;
  #isReading = false;

  of(id: string, span: Span): History | undefined {
    return this.#kept.get(`${span}${id}`);
  }

  /** Reads these soon, instead of those wanted before. */
  want(ids: readonly string[], span: Span): void {
    this.#wanted = { ids, span };
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#readWanted(), WAIT_MS);
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

  async #readWanted(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let missing = this.#missing(); missing.length > 0; missing = this.#missing()) {
        const { span } = this.#wanted;
        await this.#request({ ids: missing.join(','), limit: String(AT_ONCE), include: span === '24h' ? 'hours' : 'hours,days' }, span);
      }
    } catch {
      // The bars stay empty; the next scrolling tries again.
    } finally {
      this.#isReading = false;
    }
  }

  #missing(): string[] {
    const { ids, span } = this.#wanted;
    const now = performance.now();
    const isGood = (known: Kept | undefined) => known !== undefined && now - known.readAt < GOOD_MS;
    return ids.filter((id) => !isGood(this.#kept.get(`${span}${id}`))).slice(0, AT_ONCE);
  }

  async #request(query: Record<string, string>, span: Span, signal?: AbortSignal): Promise<string | null> {
    const readAt = performance.now();
    const page = await answer(api.GET('/api/monitors/overview', { params: { query: query as never }, signal: signal ?? null }));
    const named = query['ids']?.split(',') ?? [];
    // One that is gone, or that no controller knows yet, is not asked for again and again.
    for (const id of named) this.#keep(span, id, { uptime: null, bars: [], from: 0, times: [], readAt });
    for (const { id, hours = [], days = [], response_times: times = [], ...rest } of page.monitors) {
      const { uptime_24h: day = null, uptime_90d: quarter = null } = rest;
      const own = span === '24h' ? { uptime: day, bars: hours, from: page.first_hour } : { uptime: quarter, bars: days, from: page.first_day };
      this.#keep(span, id, { ...own, times, readAt });
    }
    this.read.value += 1;
    return page.next_cursor;
  }

  #keep(span: Span, id: string, what: Kept): void {
    const key = `${span}${id}`;
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, what);
  }
}
