import type { Clock } from '../../../../shared/time.ts';
import type { CompressedResponse } from '../../../http/responses/compressed-response.ts';
import type { PageStore } from '../../store.ts';
import { compress, type RenderedPage } from '../cache/cached-page.ts';
import type { PageCache } from '../cache/page-cache.ts';
import type { PublicComponent } from '../public-view.ts';
import type { FoundPage } from '../read-public-page.ts';

/** Monitors in memory; beyond that the oldest lookups go. */
const MAX_LOOKUPS = 1000;
/** How long a monitor is looked for on the same page. That it is still there is seen on the page itself. */
const FOUND_MS = 60_000;
/** How long a monitor that no published page shows is not looked for again. */
const MISSING_MS = 1000;

interface Lookup {
  /** Null: no published page shows the monitor. */
  subdomain: Promise<string | null>;
  /** On the monotonic clock, ms. */
  at: number;
  maxAgeMs: number;
  /** By name, as the page was last: there are as many as languages and kinds of badges. */
  responses: WeakMap<FoundPage, Map<string, CompressedResponse>>;
}

interface MonitorBadgesDeps {
  pages: Pick<PageStore, 'showing'>;
  pageCache: Pick<PageCache, 'get'>;
  clock: Clock;
}

type Render = (page: FoundPage, component: PublicComponent) => RenderedPage;

/** Badges of monitors on published pages. A badge that is read often costs no query for each view. */
export class MonitorBadges {
  readonly #deps: MonitorBadgesDeps;
  readonly #lookups = new Map<string, Lookup>();

  constructor(deps: MonitorBadgesDeps) {
    this.#deps = deps;
  }

  /** A badge, `name` tells those of one monitor apart; null if no published page shows the monitor. */
  async response(monitorId: string, name: string, render: Render): Promise<CompressedResponse | null> {
    const cached = this.#fresh(monitorId);
    if (cached !== undefined) {
      const response = await this.#responseOn(cached, monitorId, name, render);
      // Another page may show it now.
      if (response !== null || (await cached.subdomain) === null) return response;
    }
    const lookup = this.#lookUp(monitorId);
    const response = await this.#responseOn(lookup, monitorId, name, render);
    if (response === null) lookup.maxAgeMs = MISSING_MS;
    return response;
  }

  /** A page has changed, so other monitors may be shown. */
  clear(): void {
    this.#lookups.clear();
  }

  async #responseOn(
    { subdomain: subdomainLookup, responses }: Lookup, monitorId: string, name: string, render: Render,
  ): Promise<CompressedResponse | null> {
    const subdomain = await subdomainLookup;
    const page = subdomain === null ? null : await this.#deps.pageCache.get(subdomain);
    const component = page?.view.components.find(({ id }) => id === monitorId);
    if (page === null || component === undefined) return null;
    const byName = responses.get(page) ?? new Map<string, CompressedResponse>();
    responses.set(page, byName);
    const response = byName.get(name) ?? compress(render(page, component));
    byName.set(name, response);
    return response;
  }

  #fresh(monitorId: string): Lookup | undefined {
    const cached = this.#lookups.get(monitorId);
    if (cached === undefined || this.#deps.clock.monotonic() - cached.at >= cached.maxAgeMs) return undefined;
    return cached;
  }

  #lookUp(monitorId: string): Lookup {
    const { pages, clock } = this.#deps;
    const lookup: Lookup = {
      subdomain: pages.showing(monitorId).then(([first = null]) => first),
      at: clock.monotonic(), maxAgeMs: FOUND_MS, responses: new WeakMap(),
    };
    this.#lookups.delete(monitorId);
    this.#lookups.set(monitorId, lookup);
    lookup.subdomain.catch(() => {
      if (this.#lookups.get(monitorId) === lookup) this.#lookups.delete(monitorId);
    });
    const [oldest = monitorId] = this.#lookups.keys();
    if (this.#lookups.size > MAX_LOOKUPS) this.#lookups.delete(oldest);
    return lookup;
  }
}
