import { createHash } from 'node:crypto';
import { within, type Clock } from '../../../../shared/time.ts';
import { CompressedResponse } from '../../../http/responses/compressed-response.ts';
import { HTML_CONTENT, linkBelow, SECURITY_HEADERS } from '../../../http/routing/exchange.ts';
import type { FoundPage } from '../read-public-page.ts';

/** A rendering of a page: HTML in one language, a feed or JSON. */
export interface RenderedPage {
  body: string;
  headers: Record<string, string>;
  /** Allows other sites to embed it. */
  isFrameable?: true;
}

export interface CachedPageDeps {
  clock: Clock;
  /** Null if no such page is published. */
  read(): Promise<FoundPage | null>;
  /** The last known page, used while it can't be read; null if none is known. */
  recall(): Promise<FoundPage | null>;
  /** Called after each read with the page that readers get from now on. */
  onRead(read: FoundPage | null): void;
  /** Called when its memory use changes. */
  onSizeChanged(bytes: number): void;
}

/** A page is read at most once in this time, however many readers it has. */
const FRESH_FOR_MS = 1000;
/** Readers get the cached page up to this age while it is read again, so that none has to wait. */
const USABLE_FOR_MS = 2 * FRESH_FOR_MS;
/** A reader waits this long for a read before it gets the last known page. */
const READ_TIMEOUT_MS = 2000;
/** An unchanged page keeps its bytes, including its timestamp, for this long. */
const UNCHANGED_FOR_MS = 10_000;
/** Limit of cached renderings: a page has a few languages, feeds and posts. */
const MAX_RESPONSES = 100;

interface Reading {
  done: Promise<void>;
  /** Resolves when the read has completed, failed or timed out. */
  doneOrTimedOut: Promise<unknown>;
}

/**
 * Caches one page and its renderings. Reads it on request if the last read is a second old. While it can't be
 * read, readers get the last known page, which is marked as such.
 */
export class CachedPage {
  readonly #deps: CachedPageDeps;
  /** Undefined: not known yet. */
  #shown: FoundPage | null | undefined;
  #shownAt = -Infinity;
  #readAt = -Infinity;
  #attemptedAt = -Infinity;
  #isFailing = false;
  #reading: Reading | null = null;
  readonly #responses = new Map<string, CompressedResponse>();
  #bytes = 0;

  constructor(deps: CachedPageDeps) {
    this.#deps = deps;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Null if no such page is published. Rejects with the read's error if no page is known. */
  async current(): Promise<FoundPage | null> {
    if (this.#shown !== undefined && this.#age < FRESH_FOR_MS) return this.#shown;
    const reading = this.#refresh();
    if (!this.#isFailing) await reading?.doneOrTimedOut;
    if (this.#shown !== undefined && this.#age < USABLE_FOR_MS) return this.#shown;
    const last = this.#shown ?? (await this.#deps.recall());
    // The read may have completed in the meantime.
    if (this.#shown !== undefined && this.#age < USABLE_FOR_MS) return this.#shown;
    if (last === null) return this.#waitForRead(reading);
    if (last !== this.#shown || last.view.is_current) {
      this.#show({ ...last, view: { ...last.view, is_current: false } });
    }
    return this.#shown ?? null;
  }

  /** The same response for all readers at this base path until the page changes. */
  async response(
    name: string, render: (page: FoundPage) => RenderedPage, basePath = '',
  ): Promise<CompressedResponse | null> {
    const page = await this.current();
    if (page === null) return null;
    const cached = this.#responses.get(name + basePath);
    if (cached !== undefined && page === this.#shown) return cached;
    const response = compress(render(page), basePath);
    if (page !== this.#shown || this.#responses.size >= MAX_RESPONSES) return response;
    this.#responses.set(name + basePath, response);
    this.#addBytes(response.memoryBytes);
    return response;
  }

  /** The response with this name if it is already rendered. */
  cachedResponse(name: string, basePath: string): CompressedResponse | null {
    const response = this.#responses.get(name + basePath);
    if (response === undefined) return null;
    const age = this.#age;
    if (age >= FRESH_FOR_MS) this.#refresh()?.done.catch(() => undefined);
    const isMarkedStale = this.#isFailing && this.#shown?.view.is_current === false;
    return isMarkedStale || age < USABLE_FOR_MS ? response : null;
  }

  get #age(): number {
    return this.#deps.clock.monotonic() - this.#readAt;
  }

  /** Null if the last read has just failed. */
  #refresh(): Reading | null {
    const { clock } = this.#deps;
    if (this.#reading !== null) return this.#reading;
    if (this.#isFailing && clock.monotonic() - this.#attemptedAt < FRESH_FOR_MS) return null;
    const done = this.#read();
    this.#reading = { done, doneOrTimedOut: within(clock, READ_TIMEOUT_MS, done).catch(() => undefined) };
    return this.#reading;
  }

  async #read(): Promise<void> {
    const at = this.#deps.clock.monotonic();
    this.#attemptedAt = at;
    try {
      const read = await this.#deps.read();
      this.#isFailing = false;
      this.#readAt = at;
      this.#accept(read, at);
      this.#deps.onRead(this.#shown ?? null);
    } catch (error) {
      this.#isFailing = true;
      throw error;
    } finally {
      this.#reading = null;
    }
  }

  #accept(read: FoundPage | null, at: number): void {
    const shown = this.#shown ?? null;
    const isCurrent = shown?.view.is_current === true;
    const isSame = isCurrent && read !== null && isEqual(contentOf(read), contentOf(shown));
    if (isSame && at - this.#shownAt < UNCHANGED_FOR_MS) return;
    this.#shownAt = at;
    this.#show(read);
  }

  #show(page: FoundPage | null): void {
    this.#shown = page;
    this.#responses.clear();
    this.#addBytes((page === null ? 0 : JSON.stringify(page).length) - this.#bytes);
  }

  #addBytes(bytes: number): void {
    this.#bytes += bytes;
    this.#deps.onSizeChanged(bytes);
  }

  /** Waits for a page that isn't known yet. */
  async #waitForRead(reading: Reading | null): Promise<FoundPage | null> {
    await (reading ?? this.#refreshNow()).done;
    return this.#shown ?? null;
  }

  #refreshNow(): Reading {
    this.#attemptedAt = -Infinity;
    return this.#refresh() as Reading;
  }
}

/** Equal for pages that differ only in when they were read. */
export function versionOf(found: FoundPage): string {
  return createHash('sha256').update(JSON.stringify(contentOf(found))).digest('base64url').slice(0, 22);
}

function contentOf({ page: { updated_at: _at, ...page }, view }: FoundPage): unknown[] {
  return [page, { ...view, as_of: '' }];
}

/** Compares JSON values. Runs each second for a page being read; a hash would take ten times as long. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
  }
  if (Array.isArray(one) || Array.isArray(other)) return false;
  const [ours, theirs] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const names = Object.keys(ours);
  if (names.length !== Object.keys(theirs).length) return false;
  return names.every((name) => isEqual(ours[name], theirs[name]));
}

export function compress({ body, headers, isFrameable }: RenderedPage, basePath = ''): CompressedResponse {
  const allHeaders = { ...SECURITY_HEADERS, ...headers };
  if (isFrameable) delete allHeaders['X-Frame-Options'];
  const isHtml = headers['Content-Type'] === HTML_CONTENT;
  return new CompressedResponse(isHtml ? linkBelow(body, basePath) : body, allHeaders);
}
