import type { Clock } from '../../../../shared/time.ts';
import { AppError } from '../../../errors/app-error.ts';
import type { CompressedResponse } from '../../../http/responses/compressed-response.ts';
import { CachedPage } from './cached-page.ts';
import type { FoundPage } from '../read-public-page.ts';

/** Cached pages, and subdomains without a page. Above that, evicts the least recently used. */
const MAX_CACHED_PAGES = 1000;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

/** Pages remembered outside this process and its database. */
export interface LastKnownPages {
  /** The last known page of a subdomain; null if none is. */
  recall(subdomain: string): Promise<FoundPage | null>;
  save(page: FoundPage): void;
  remove(subdomain: string): void;
}

interface PageCacheDeps {
  clock: Clock;
  last: LastKnownPages;
}

/** Null if no such page is published. */
type ReadPage = (subdomain: string) => Promise<FoundPage | null>;

/** Caches pages by subdomain. Simultaneous readers share one read and the same bytes. */
export class PageCache {
  readonly #deps: PageCacheDeps;
  /** Least recently used first. */
  readonly #cached = new Map<string, CachedPage>();
  #bytes = 0;
  #read: ReadPage = () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'Farwatch is starting'));

  constructor(deps: PageCacheDeps) {
    this.#deps = deps;
  }

  /** Enables reading pages. Until then, readers get the last known pages. */
  connect(read: ReadPage): void {
    this.#read = read;
  }

  /** Null if no such page is published. Rejects if it can't be read and no earlier version is known. */
  get(subdomain: string): Promise<FoundPage | null> {
    return this.#cachedPage(subdomain).current();
  }

  /** A rendering of a page, as `get`; `name` identifies the rendering. */
  response(subdomain: string, ...rest: Parameters<CachedPage['response']>): Promise<CompressedResponse | null> {
    return this.#cachedPage(subdomain).response(...rest);
  }

  /** The rendering if it is already cached. */
  cachedResponse(subdomain: string, name: string, basePath = ''): CompressedResponse | null {
    return this.#cached.get(subdomain)?.cachedResponse(name, basePath) ?? null;
  }

  /** The next reader triggers a read. Nobody gets a page that is no longer published. */
  invalidate(subdomain: string, isPublished: boolean): void {
    this.#drop(subdomain);
    if (!isPublished) this.#deps.last.remove(subdomain);
  }

  #cachedPage(subdomain: string): CachedPage {
    const page = this.#cached.get(subdomain) ?? this.#createPage(subdomain);
    this.#cached.delete(subdomain);
    this.#cached.set(subdomain, page);
    for (const oldest of this.#cached.keys()) {
      const isWithinLimits = this.#cached.size <= MAX_CACHED_PAGES && this.#bytes <= MAX_CACHED_BYTES;
      if (oldest === subdomain || isWithinLimits) break;
      this.#drop(oldest);
    }
    return page;
  }

  #createPage(subdomain: string): CachedPage {
    const { clock, last } = this.#deps;
    // An evicted page may still have a read in progress, which must not count or bring the page back.
    const isCached = () => this.#cached.get(subdomain) === page;
    const page = new CachedPage({
      clock, read: () => this.#read(subdomain), recall: () => last.recall(subdomain),
      onRead: (read) => {
        if (!isCached()) return;
        if (read === null) last.remove(subdomain);
        else last.save(read);
      },
      onSizeChanged: (bytes) => {
        if (isCached()) this.#bytes += bytes;
      },
    });
    return page;
  }

  #drop(subdomain: string): void {
    this.#bytes -= this.#cached.get(subdomain)?.bytes ?? 0;
    this.#cached.delete(subdomain);
  }
}
