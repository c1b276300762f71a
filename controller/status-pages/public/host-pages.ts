import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../shared/time.ts';
import { forKnownTexts } from '../../http/known-texts.ts';
import type { OwnNames } from '../domains/domain-rules.ts';

/** What another controller has changed is seen after this time. */
const FRESH_MS = 10_000;
/** Hosts in memory, with a page or without; beyond that those that were asked for least recently go. */
const MOST_KEPT = 1000;

interface HostDeps {
  domains: { find(domain: string): Promise<{ subdomain: string } | null> };
  /** The subdomain of the page that had a domain when this was last known; null if none had. */
  recall(domain: string): string | null;
  own: OwnNames;
  clock: Pick<Clock, 'monotonic'>;
}

interface Kept {
  subdomain: string | null;
  at: number;
}

/** Leads requests for the host of a page to that page, and to nothing else of this installation. */
export class HostPages {
  readonly #deps: HostDeps;
  readonly #nameOf = forKnownTexts(MOST_KEPT, nameOf);
  readonly #kept = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<string | null>>();

  constructor(deps: HostDeps) {
    this.#deps = deps;
  }

  /** Changes the URL of a request for the host of a page; at once, where the host is known. Never rejects. */
  place(request: IncomingMessage): Promise<void> | undefined {
    const host = this.#nameOf(request.headers.host ?? '');
    const found = host === null ? null : this.#subdomainOf(host);
    const place = (subdomain: string | null): void => {
      if (subdomain !== null) request.url = urlOnPage(request.url ?? '/', subdomain);
    };
    if (found instanceof Promise) return found.then(place);
    place(found);
    return undefined;
  }

  /** The next request for this domain sees what is there then. */
  forget(domain: string): void {
    this.#kept.delete(domain);
  }

  #subdomainOf(host: string): string | null | Promise<string | null> {
    const { own: { pageDomain, baseHost }, clock } = this.#deps;
    if (host === baseHost || host === pageDomain) return null;
    if (pageDomain !== null && host.endsWith(`.${pageDomain}`)) return host.slice(0, -pageDomain.length - 1);
    const kept = this.#kept.get(host);
    if (kept === undefined) return this.#read(host, null);
    if (clock.monotonic() - kept.at >= FRESH_MS) void this.#read(host, kept.subdomain);
    return kept.subdomain;
  }

  /** While the database is away, what was last known still holds. */
  #read(host: string, last: string | null): Promise<string | null> {
    const under = this.#reading.get(host);
    if (under !== undefined) return under;
    const { domains, recall, clock } = this.#deps;
    const reading = domains.find(host).then((found) => found?.subdomain ?? null, () => last ?? recall(host))
      .then((subdomain) => {
        this.#reading.delete(host);
        this.#kept.delete(host);
        this.#kept.set(host, { subdomain, at: clock.monotonic() });
        const [oldest] = this.#kept.keys();
        if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
        return subdomain;
      });
    this.#reading.set(host, reading);
    return reading;
  }
}

/** The name in a Host header, in lower case; null for an address, or for what is no name with a dot. */
function nameOf(header: string): string | null {
  const name = header.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  return /^(?=.{4,253}$)([a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]*$/.test(name) ? name : null;
}

/** Where a request for the page's own host leads: to paths of this page only, whatever it asks for. */
export function urlOnPage(url: string, subdomain: string): string {
  const page = `/status/${subdomain}`;
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url) ?? [];
  const isBelow = (base: string) => path === base || path.startsWith(`${base}/`);
  const isShared = isBelow('/status/assets') || isBelow('/api/public/subscribers');
  if (isShared || isBelow(page) || isBelow(`/api/public/status-pages/${subdomain}`)) return url;
  return `${page}${path === '/' ? '' : path}${query}`;
}
