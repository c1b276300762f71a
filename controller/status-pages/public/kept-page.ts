import { createHash } from 'node:crypto';
import { within, type Clock } from '../../../shared/time.ts';
import { SECURITY_HEADERS } from '../../http/exchange.ts';
import { PackedAnswer } from '../../http/packed-answer.ts';
import type { FoundPage } from './read-public-page.ts';

/** One form of a page: in a language, as a feed, as JSON. */
export interface PageForm {
  body: string;
  headers: Record<string, string>;
  /** Other sites may show it in a frame. */
  isForFrames?: true;
}

export interface KeptPageDeps {
  clock: Clock;
  /** Null if no such page is published. */
  read(): Promise<FoundPage | null>;
  /** The last page that is known while it cannot be read; null if none is. */
  recall(): Promise<FoundPage | null>;
  /** Called after each reading with what readers get from now on. */
  onRead(read: FoundPage | null): void;
  /** Called when it takes more or fewer bytes. */
  onGrown(bytes: number): void;
}

/** A page is put together at most once in this time, however many readers it has. */
const FRESH_MS = 1000;
/** Readers get what is kept for this long while it is read again, so that none of many has to wait. */
const USABLE_MS = 2 * FRESH_MS;
/** A reader waits for this long before it gets what was known last. */
const PATIENCE_MS = 2000;
/** What has not changed keeps its bytes, and says the instant of which it is, for this long. */
const SAME_FOR_MS = 10_000;
/** More are not kept at once: a page has a few languages, feeds and posts. */
const MOST_FORMS = 100;

interface Reading {
  done: Promise<void>;
  /** Resolves when it is done, failed or late. */
  soon: Promise<unknown>;
}

/**
 * What the readers of one page get. It is read when a reader comes and the last reading is a second old.
 * While it cannot be read, readers get the last page that is known, which says so.
 */
export class KeptPage {
  readonly #deps: KeptPageDeps;
  /** Undefined: nothing is known. */
  #shown: FoundPage | null | undefined;
  #shownAt = -Infinity;
  #readAt = -Infinity;
  #triedAt = -Infinity;
  #isFailing = false;
  #reading: Reading | null = null;
  readonly #forms = new Map<string, PackedAnswer>();
  #bytes = 0;

  constructor(deps: KeptPageDeps) {
    this.#deps = deps;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Null if no such page is published. Rejects as the reading does when nothing is known. */
  async current(): Promise<FoundPage | null> {
    if (this.#shown !== undefined && this.#age < FRESH_MS) return this.#shown;
    const reading = this.#readAgain();
    if (!this.#isFailing) await reading?.soon;
    if (this.#shown !== undefined && this.#age < USABLE_MS) return this.#shown;
    const last = this.#shown ?? (await this.#deps.recall());
    // Meanwhile the reading may have come to its end.
    if (this.#shown !== undefined && this.#age < USABLE_MS) return this.#shown;
    if (last === null) return this.#afterAll(reading);
    if (last !== this.#shown || last.view.is_current) {
      this.#show({ ...last, view: { ...last.view, is_current: false } });
    }
    return this.#shown ?? null;
  }

  /** The same for all who ask until the page changes. */
  async form(name: string, render: (page: FoundPage) => PageForm): Promise<PackedAnswer | null> {
    const page = await this.current();
    if (page === null) return null;
    const made = this.#forms.get(name);
    if (made !== undefined && page === this.#shown) return made;
    const form = packed(render(page));
    if (page !== this.#shown || this.#forms.size >= MOST_FORMS) return form;
    this.#forms.set(name, form);
    this.#grow(form.bytes);
    return form;
  }

  /** What `form` would give, if it is there already. */
  formAtOnce(name: string): PackedAnswer | null {
    const form = this.#forms.get(name);
    if (form === undefined) return null;
    const age = this.#age;
    if (age >= FRESH_MS) this.#readAgain()?.done.catch(() => undefined);
    const isKnownToBeOld = this.#isFailing && this.#shown?.view.is_current === false;
    return isKnownToBeOld || age < USABLE_MS ? form : null;
  }

  get #age(): number {
    return this.#deps.clock.monotonic() - this.#readAt;
  }

  /** Null if it has just failed. */
  #readAgain(): Reading | null {
    const { clock } = this.#deps;
    if (this.#reading !== null) return this.#reading;
    if (this.#isFailing && clock.monotonic() - this.#triedAt < FRESH_MS) return null;
    const done = this.#read();
    this.#reading = { done, soon: within(clock, PATIENCE_MS, done).catch(() => undefined) };
    return this.#reading;
  }

  async #read(): Promise<void> {
    const at = this.#deps.clock.monotonic();
    this.#triedAt = at;
    try {
      const read = await this.#deps.read();
      this.#isFailing = false;
      this.#readAt = at;
      this.#take(read, at);
      this.#deps.onRead(this.#shown ?? null);
    } catch (error) {
      this.#isFailing = true;
      throw error;
    } finally {
      this.#reading = null;
    }
  }

  #take(read: FoundPage | null, at: number): void {
    const shown = this.#shown ?? null;
    const isCurrent = shown?.view.is_current === true;
    const isSame = isCurrent && read !== null && isEqual(contentOf(read), contentOf(shown));
    if (isSame && at - this.#shownAt < SAME_FOR_MS) return;
    this.#shownAt = at;
    this.#show(read);
  }

  #show(page: FoundPage | null): void {
    this.#shown = page;
    this.#forms.clear();
    this.#grow((page === null ? 0 : JSON.stringify(page).length) - this.#bytes);
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#deps.onGrown(bytes);
  }

  /** Nothing is known: the reader has to wait for what the reading says. */
  async #afterAll(reading: Reading | null): Promise<FoundPage | null> {
    await (reading ?? this.#readNow()).done;
    return this.#shown ?? null;
  }

  #readNow(): Reading {
    this.#triedAt = -Infinity;
    return this.#readAgain() as Reading;
  }
}

/** The same for pages that differ only in when they were put together. */
export function versionOf(found: FoundPage): string {
  return createHash('sha256').update(JSON.stringify(contentOf(found))).digest('base64url').slice(0, 22);
}

function contentOf({ page: { updated_at: _at, ...page }, view }: FoundPage): unknown[] {
  return [page, { ...view, as_of: '' }];
}

/** Of what JSON can say. While a page is read, it is compared each second: a hash takes ten times as long. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, at) => isEqual(each, other[at]));
  }
  if (Array.isArray(one) || Array.isArray(other)) return false;
  const [ours, theirs] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const names = Object.keys(ours);
  if (names.length !== Object.keys(theirs).length) return false;
  return names.every((name) => isEqual(ours[name], theirs[name]));
}

/** A form as it is answered. */
export function packed({ body, headers, isForFrames }: PageForm): PackedAnswer {
  const all = { ...SECURITY_HEADERS, ...headers };
  if (isForFrames) delete all['X-Frame-Options'];
  return new PackedAnswer(body, all);
}
