import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time.ts';
import type { PackedAnswer } from '../../http/packed-answer.ts';
import { KeptPage } from './kept-page.ts';
import type { FoundPage } from './read-public-page.ts';

/** Pages in memory, and subdomains without a page; beyond that those go that were read least recently. */
const MOST_KEPT = 1000;
const MOST_BYTES = 64 * 1024 * 1024;

/** What is known of pages beyond this process and its database. */
export interface LastPages {
  /** The last page that was known under a subdomain; null if none was. */
  recall(subdomain: string): Promise<FoundPage | null>;
  keep(page: FoundPage): void;
  remove(subdomain: string): void;
}

interface PublicPagesDeps {
  clock: Clock;
  last: LastPages;
}

/** Null if no such page is published. */
type ReadPage = (subdomain: string) => Promise<FoundPage | null>;

/** What readers get, by subdomain. Readers who come at once share one reading, and the same bytes. */
export class PublicPages {
  readonly #deps: PublicPagesDeps;
  /** The last one was asked for most recently. */
  readonly #kept = new Map<string, KeptPage>();
  #bytes = 0;
  #read: ReadPage = () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'Farwatch is starting'));

  constructor(deps: PublicPagesDeps) {
    this.#deps = deps;
  }

  /** From now on pages are read; before, readers get the last pages that are known. */
  connect(read: ReadPage): void {
    this.#read = read;
  }

  /** Null if no such page is published. Rejects when it can neither be read nor is known from before. */
  get(subdomain: string): Promise<FoundPage | null> {
    return this.#of(subdomain).current();
  }

  /** A form of a page, as `get`; `name` tells forms apart. */
  form(subdomain: string, ...of: Parameters<KeptPage['form']>): Promise<PackedAnswer | null> {
    return this.#of(subdomain).form(...of);
  }

  /** What `form` would give, if it is there already. */
  formAtOnce(subdomain: string, name: string): PackedAnswer | null {
    return this.#kept.get(subdomain)?.formAtOnce(name) ?? null;
  }

  /** The next reader gets what is there then; nobody gets a page that is published no more. */
  changed(subdomain: string, isPublished: boolean): void {
    this.#drop(subdomain);
    if (!isPublished) this.#deps.last.remove(subdomain);
  }

  #of(subdomain: string): KeptPage {
    const page = this.#kept.get(subdomain) ?? this.#begin(subdomain);
    this.#kept.delete(subdomain);
    this.#kept.set(subdomain, page);
    for (const oldest of this.#kept.keys()) {
      if (oldest === subdomain || (this.#kept.size <= MOST_KEPT && this.#bytes <= MOST_BYTES)) break;
      this.#drop(oldest);
    }
    return page;
  }

  #begin(subdomain: string): KeptPage {
    const { clock, last } = this.#deps;
    // What was dropped may still be under way: it counts no more, and must not bring a page back.
    const isKept = () => this.#kept.get(subdomain) === page;
    const page = new KeptPage({
      clock, read: () => this.#read(subdomain), recall: () => last.recall(subdomain),
      onRead: (read) => {
        if (!isKept()) return;
        if (read === null) last.remove(subdomain);
        else last.keep(read);
      },
      onGrown: (bytes) => {
        if (isKept()) this.#bytes += bytes;
      },
    });
    return page;
  }

  #drop(subdomain: string): void {
    this.#bytes -= this.#kept.get(subdomain)?.bytes ?? 0;
    this.#kept.delete(subdomain);
  }
}
