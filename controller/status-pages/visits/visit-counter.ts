import type { IncomingMessage } from 'node:http';
import { memoizeByText } from '../../http/responses/memoize-by-text.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { DAY_MS, RETAINED_DAYS, isBot, dayAndHourOf, visitedSubdomain } from './visit-rules.ts';
import type { VisitStore } from './visit-store.ts';

interface CounterDeps {
  visits: Pick<VisitStore, 'add' | 'removeOlder'>;
  pages: {
    /** Ids of published pages by subdomain. */
    publishedIds(subdomains: string[]): Promise<Map<string, string>>;
  };
  clock: Clock;
  log: Log;
}

/** How long visits are collected before a write; a crash loses that much. */
const FLUSH_DELAY_MS = 10_000;
/** Subdomains with unwritten visits, for example during a database outage; visits to others are dropped. */
const MAX_PENDING_PAGES = 10_000;
const BATCH_SIZE = 50;
/** Cached results per User-Agent header. */
const MAX_CACHED_AGENTS = 1000;

/** Counts page views in memory and writes them in batches. Sets no timer while idle. */
export class VisitCounter {
  readonly #deps: CounterDeps;
  readonly #isBot = memoizeByText(MAX_CACHED_AGENTS, isBot);
  #counts = new Map<string, number>();
  #timer: Timer | null = null;
  #writing: Promise<void> = Promise.resolve();
  #lastCleanupDay = 0;

  constructor(deps: CounterDeps) {
    this.#deps = deps;
  }

  /** Counts a request if a person opens a page with it. Whether the page exists is checked later. */
  record(request: IncomingMessage): void {
    const subdomain = visitedSubdomain(request, this.#isBot);
    if (subdomain === null) return;
    const count = this.#counts.get(subdomain) ?? 0;
    if (count === 0 && this.#counts.size >= MAX_PENDING_PAGES) return;
    this.#counts.set(subdomain, count + 1);
    this.#timer ??= this.#deps.clock.setTimer(FLUSH_DELAY_MS, () => void this.flush(), true);
  }

  /** Writes the collected counts. Never rejects: counts that can't be written are lost and logged. */
  flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    const counts = this.#counts;
    this.#counts = new Map();
    this.#writing = this.#writing.then(() => this.#write(counts)).catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, 'could not count visits of status pages');
    });
    return this.#writing;
  }

  stop(): Promise<void> {
    return this.flush();
  }

  async #write(counts: ReadonlyMap<string, number>): Promise<void> {
    const { visits, pages, clock } = this.#deps;
    const subdomains = [...counts.keys()];
    for (let at = 0; at < subdomains.length; at += BATCH_SIZE) {
      const ids = await pages.publishedIds(subdomains.slice(at, at + BATCH_SIZE));
      const byPage = [...ids].map(([subdomain, id]) => [id, counts.get(subdomain) ?? 0] as const);
      await visits.add(new Map(byPage), clock.now());
    }
    const { day } = dayAndHourOf(clock.now());
    if (subdomains.length === 0 || this.#lastCleanupDay === day) return;
    await visits.removeOlder(day - RETAINED_DAYS * DAY_MS);
    this.#lastCleanupDay = day;
  }
}
