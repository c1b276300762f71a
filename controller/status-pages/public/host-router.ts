import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../shared/time.ts';
import { memoizeByText } from '../../http/responses/memoize-by-text.ts';
import type { InstallationNames } from '../domains/domain-rules.ts';

/** What another controller has changed is seen after this time. */
const CACHE_TTL_MS = 10_000;
/** Hosts in memory, with a page or without; beyond that those that were asked for least recently go. */
const MAX_CACHED_HOSTS = 1000;

interface HostDeps {
  domains: { find(domain: string): Promise<{ subdomain: string } | null> };
  /** The subdomain of the page that had a domain when this was last known; null if none had. */
  recall(domain: string): string | null;
  own: InstallationNames;
  clock: Pick<Clock, 'monotonic'>;
}

interface CachedHost {
  subdomain: string | null;
  at: number;
}

/** Leads requests for the host of a page to that page, and to nothing else of this installation. */
export class HostRouter {
  readonly #deps: HostDeps;
  readonly #nameOf = memoizeByText(MAX_CACHED_HOSTS, nameOf);
  readonly #cache = new Map<string, CachedHost>();
  readonly #reading = new Map<string, Promise<string | null>>();

  constructor(deps: HostDeps) {
    this.#deps = deps;
  }

  /** Changes the URL of a request for the host of a page; at once, where the host is known. Never rejects. */
  rewrite(request: IncomingMessage): Promise<void> | undefined {
    const host = this.#nameOf(request.headers.host ?? '');
    const found = host === null ? null : this.#subdomainOf(host);
    const rewriteTo = (subdomain: string | null): void => {
      if (subdomain !== null) request.url = urlOnPage(request.url ?? '/', subdomain);
    };
    if (found instanceof Promise) return found.then(rewriteTo);
    rewriteTo(found);
    return undefined;
  }

  /** The next request for this domain sees what is there then. */
  forget(domain: string): void {
    this.#cache.delete(domain);
  }

  #subdomainOf(host: string): string | null | Promise<string | null> {
    const { own: { pageDomain, baseHost }, clock } = this.#deps;
    if (host === baseHost || host === pageDomain) return null;
    if (pageDomain !== null && host.endsWith(`.${pageDomain}`)) return host.slice(0, -pageDomain.length - 1);
    const cached = this.#cache.get(host);
    if (cached === undefined) return this.#read(host, null);
    if (clock.monotonic() - cached.at >= CACHE_TTL_MS) void this.#read(host, cached.subdomain);
    return cached.subdomain;
  }

  /** While the database is away, what was last known still holds. */
  #read(host: string, last: string | null): Promise<string | null> {
    const pending = this.#reading.get(host);
    if (pending !== undefined) return pending;
    const { domains, recall, clock } = this.#deps;
    const reading = domains.find(host).then((found) => found?.subdomain ?? null, () => last ?? recall(host))
      .then((subdomain) => {
        this.#reading.delete(host);
        this.#cache.delete(host);
        this.#cache.set(host, { subdomain, at: clock.monotonic() });
        const [oldest] = this.#cache.keys();
        if (this.#cache.size > MAX_CACHED_HOSTS && oldest !== undefined) this.#cache.delete(oldest);
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
