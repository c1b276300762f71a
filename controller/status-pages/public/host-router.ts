import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../shared/time.ts';
import { enterBasePath } from '../../http/routing/exchange.ts';
import type { InstallationNames } from '../domains/domain-rules.ts';

/** Changes by another controller become visible after this time. */
const CACHE_TTL_MS = 10_000;
/** Cached hosts, with or without a page. Above that, evicts the one read longest ago. */
const MAX_CACHED_HOSTS = 1000;

interface HostDeps {
  domains: { find(domain: string): Promise<{ subdomain: string } | null> };
  /** The subdomain of the page that last had a domain; null if none is known. */
  recall(domain: string): string | null;
  own: InstallationNames;
  /** Path of the installation on every other host; empty: the root. */
  basePath: string;
  clock: Pick<Clock, 'monotonic'>;
}

interface CachedHost {
  subdomain: string | null;
  at: number;
}

/**
 * Routes requests for a page's host to that page, and to nothing else of this installation. Others enter the
 * base path.
 */
export class HostRouter {
  readonly #deps: HostDeps;
  readonly #cache = new Map<string, CachedHost>();
  readonly #reading = new Map<string, Promise<string | null>>();

  constructor(deps: HostDeps) {
    this.#deps = deps;
  }

  /** Rewrites the URL of a request, synchronously if its host is cached. Never rejects. */
  rewrite(request: IncomingMessage): Promise<void> | undefined {
    const host = nameOf(request.headers.host ?? '');
    const found = host === null ? null : this.#subdomainOf(host);
    const rewriteTo = (subdomain: string | null): void => {
      if (subdomain === null) enterBasePath(request, this.#deps.basePath);
      else request.url = urlOnPage(request.url ?? '/', subdomain);
    };
    if (found instanceof Promise) return found.then(rewriteTo);
    rewriteTo(found);
    return undefined;
  }

  /** The next request for this domain reads it again. */
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

  /** While the database is unavailable, the last known value is used. */
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

/** The name in a Host header, in lower case; null for an IP address or a name without a dot. */
function nameOf(header: string): string | null {
  const name = header.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  return /^(?=.{4,253}$)([a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]*$/.test(name) ? name : null;
}

/** Maps a URL on the page's own host to a path of this page, whatever it is. */
export function urlOnPage(url: string, subdomain: string): string {
  const page = `/status/${subdomain}`;
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url) ?? [];
  const isBelow = (base: string) => path === base || path.startsWith(`${base}/`);
  const isShared = isBelow('/status/assets') || isBelow('/api/public/subscribers');
  if (isShared || isBelow(page) || isBelow(`/api/public/status-pages/${subdomain}`)) return url;
  return `${page}${path === '/' ? '' : path}${query}`;
}
