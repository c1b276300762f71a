import { spreadMs } from '../../../../shared/backoff.ts';
import { sleep, type Clock } from '../../../../shared/time.ts';
import { EventStream } from '../../../http/responses/event-stream.ts';
import { versionOf } from '../cache/cached-page.ts';
import type { PageCache } from '../cache/page-cache.ts';
import type { FoundPage } from '../read-public-page.ts';

/** Per controller: three of five connections, which leaves the rest for API requests and page views. */
const MAX_STREAMS = 3000;
/** Bytes that may queue for a slow reader; above that it is disconnected. */
const MAX_BACKLOG_BYTES = 16 * 1024;
/** How often all pages with open streams are polled. */
const POLL_INTERVAL_MS = 2000;
const KEEP_ALIVE_MS = 15_000;
/** Minimum reconnect delay of browsers; the maximum is three times as long. */
const RETRY_MS = 2000;

interface PageStreamsDeps {
  pages: Pick<PageCache, 'get'>;
  clock: Clock;
  random(): number;
}

interface OpenPage {
  /** The last version sent; undefined if none was. */
  version: string | undefined;
  shown: FoundPage | undefined;
  streams: Set<EventStream>;
}

/**
 * Notifies open browsers when their page has changed, so that they reload it. Polls pages one after another,
 * each once for all of its readers, and sends all readers the same few bytes.
 */
export class PageStreams {
  readonly #deps: PageStreamsDeps;
  readonly #openPages = new Map<string, OpenPage>();
  #count = 0;
  #isPolling = false;
  #isStopped = false;

  constructor(deps: PageStreamsDeps) {
    this.#deps = deps;
  }

  /** Opens a stream for a reader of a page; null if this controller has no streams left. */
  join(subdomain: string): EventStream | null {
    if (this.#isStopped || this.#count >= MAX_STREAMS) return null;
    const stream = new EventStream(MAX_BACKLOG_BYTES);
    const page: OpenPage = this.#openPages.get(subdomain)
      ?? { version: undefined, shown: undefined, streams: new Set() };
    this.#openPages.set(subdomain, page);
    page.streams.add(stream);
    this.#count += 1;
    stream.onClose(() => {
      this.#count -= 1;
      page.streams.delete(stream);
      const isUnread = page.streams.size === 0 && this.#openPages.get(subdomain) === page;
      if (isUnread) this.#openPages.delete(subdomain);
    });
    stream.send(`retry: ${Math.round(spreadMs(RETRY_MS, 2, this.#deps.random()))}\n\n`);
    if (page.version !== undefined) stream.send(eventOf(page.version));
    if (!this.#isPolling) void this.#poll();
    return stream;
  }

  /** Ends every stream, so that browsers reconnect to another controller. */
  stop(): void {
    this.#isStopped = true;
    for (const { streams } of this.#openPages.values()) for (const stream of streams) stream.finish();
  }

  /** Runs as long as there are readers. */
  async #poll(): Promise<void> {
    const { clock } = this.#deps;
    this.#isPolling = true;
    let lastSentAt = clock.monotonic();
    while (this.#count > 0 && !this.#isStopped) {
      for (const [subdomain, page] of this.#openPages) await this.#pollPage(subdomain, page);
      if (clock.monotonic() - lastSentAt >= KEEP_ALIVE_MS) {
        lastSentAt = clock.monotonic();
        for (const page of this.#openPages.values()) broadcast(page, ': keep-alive\n\n');
      }
      await sleep(clock, POLL_INTERVAL_MS);
    }
    this.#isPolling = false;
  }

  /** A page that can't be read is polled again next time. */
  async #pollPage(subdomain: string, page: OpenPage): Promise<void> {
    const shown = await this.#deps.pages.get(subdomain).catch(() => undefined);
    if (shown === undefined || shown === page.shown) return;
    const version = shown === null ? 'gone' : versionOf(shown);
    page.shown = shown ?? undefined;
    if (version !== page.version) broadcast(page, eventOf(version));
    page.version = version;
    if (shown === null) for (const stream of page.streams) stream.finish();
  }
}

function broadcast({ streams }: OpenPage, text: string): void {
  for (const stream of streams) stream.send(text);
}

/** The browser reloads the page unless it already shows this version. */
function eventOf(version: string): string {
  return `event: version\ndata: ${JSON.stringify({ version })}\n\n`;
}
