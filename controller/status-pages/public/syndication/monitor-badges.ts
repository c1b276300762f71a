import type { Clock } from '../../../../shared/time.ts';
import type { CompressedResponse } from '../../../http/responses/compressed-response.ts';
import type { PageStore } from '../../store.ts';
import { compress, type RenderedPage } from '../cache/cached-page.ts';
import type { PageCache } from '../cache/page-cache.ts';
import type { PublicComponent } from '../public-view.ts';
import type { FoundPage } from '../read-public-page.ts';

/** Cached lookups; above that, evicts the oldest. */
const MAX_LOOKUPS = 1000;
/** How long the page of a monitor is cached. Whether the page still shows it is always current. */
const FOUND_MS = 60_000;
/** How long a missing monitor is cached. */
const MISSING_MS = 1000;

interface Lookup {
  /** Null: no published page shows the monitor. */
  subdomain: Promise<string | null>;
  /** Monotonic ms. */
  at: number;
  maxAgeMs: number;
  /** By version of the page, then by name: one per language and type of badge. */
  responses: WeakMap<FoundPage, Map<string, CompressedResponse>>;
}

interface MonitorBadgesDeps {
  pages: Pick<PageStore, 'showing'>;
  pageCache: Pick<PageCache, 'get'>;
  clock: Clock;
}

type Render = (page: FoundPage, component: PublicComponent) => RenderedPage;

/** Badges of monitors on published pages. A popular badge costs no query per view. */
export class MonitorBadges {
  readonly #deps: MonitorBadgesDeps;
  readonly #lookups = new Map<string, Lookup>();

  constructor(deps: MonitorBadgesDeps) {
    this.#deps = deps;
  }

  /** `name` identifies the badge of a monitor. Null if no published page shows the monitor. */
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

  /** Called when a page has changed, because other monitors may be shown now. */
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
