import { AppError } from '../../../../shared/errors.ts';
import type { Clock } from '../../../../shared/time.ts';
import type { CompressedResponse } from '../../../http/responses/compressed-response.ts';
import { CachedPage } from './cached-page.ts';
import type { FoundPage } from '../read-public-page.ts';

/** Pages in memory, and subdomains without a page; beyond that those go that were read least recently. */
const MAX_CACHED_PAGES = 1000;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

/** What is known of pages beyond this process and its database. */
export interface LastKnownPages {
  /** The last page that was known under a subdomain; null if none was. */
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

/** What readers get, by subdomain. Readers who come at once share one reading, and the same bytes. */
export class PageCache {
  readonly #deps: PageCacheDeps;
  /** The last one was asked for most recently. */
  readonly #cached = new Map<string, CachedPage>();
  #bytes = 0;
  #read: ReadPage = () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'Farwatch is starting'));

  constructor(deps: PageCacheDeps) {
    this.#deps = deps;
  }

  /** From now on pages are read; before, readers get the last pages that are known. */
  connect(read: ReadPage): void {
    this.#read = read;
  }

  /** Null if no such page is published. Rejects when it can neither be read nor is known from before. */
  get(subdomain: string): Promise<FoundPage | null> {
    return this.#cachedPage(subdomain).current();
  }

  /** A form of a page, as `get`; `name` tells forms apart. */
  response(subdomain: string, ...rest: Parameters<CachedPage['response']>): Promise<CompressedResponse | null> {
    return this.#cachedPage(subdomain).response(...rest);
  }

  /** What `form` would give, if it is there already. */
  cachedResponse(subdomain: string, name: string): CompressedResponse | null {
    return this.#cached.get(subdomain)?.cachedResponse(name) ?? null;
  }

  /** The next reader gets what is there then; nobody gets a page that is published no more. */
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
    // What was dropped may still be under way: it counts no more, and must not bring a page back.
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
