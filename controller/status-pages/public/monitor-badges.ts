import type { Clock } from '../../../shared/time.ts';
import type { PackedAnswer } from '../../http/packed-answer.ts';
import type { PageStore } from '../store.ts';
import { packed, type PageForm } from './kept-page.ts';
import type { PublicPages } from './public-pages.ts';
import type { PublicComponent } from './public-view.ts';
import type { FoundPage } from './read-public-page.ts';

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
  forms: WeakMap<FoundPage, Map<string, PackedAnswer>>;
}

interface MonitorBadgesDeps {
  pages: Pick<PageStore, 'showing'>;
  readers: Pick<PublicPages, 'get'>;
  clock: Clock;
}

type Render = (page: FoundPage, component: PublicComponent) => PageForm;

/** Badges of monitors on published pages. A badge that is read often costs no query for each view. */
export class MonitorBadges {
  readonly #deps: MonitorBadgesDeps;
  readonly #lookups = new Map<string, Lookup>();

  constructor(deps: MonitorBadgesDeps) {
    this.#deps = deps;
  }

  /** A badge, `name` tells those of one monitor apart; null if no published page shows the monitor. */
  async form(monitorId: string, name: string, render: Render): Promise<PackedAnswer | null> {
    const known = this.#fresh(monitorId);
    if (known !== undefined) {
      const form = await this.#formOn(known, monitorId, name, render);
      // Another page may show it now.
      if (form !== null || (await known.subdomain) === null) return form;
    }
    const lookup = this.#lookUp(monitorId);
    const form = await this.#formOn(lookup, monitorId, name, render);
    if (form === null) lookup.maxAgeMs = MISSING_MS;
    return form;
  }

  /** A page has changed, so other monitors may be shown. */
  clear(): void {
    this.#lookups.clear();
  }

  async #formOn(
    { subdomain: lookedUp, forms }: Lookup, monitorId: string, name: string, render: Render,
  ): Promise<PackedAnswer | null> {
    const subdomain = await lookedUp;
    const page = subdomain === null ? null : await this.#deps.readers.get(subdomain);
    const component = page?.view.components.find(({ id }) => id === monitorId);
    if (page === null || component === undefined) return null;
    const made = forms.get(page) ?? new Map<string, PackedAnswer>();
    forms.set(page, made);
    const form = made.get(name) ?? packed(render(page, component));
    made.set(name, form);
    return form;
  }

  #fresh(monitorId: string): Lookup | undefined {
    const known = this.#lookups.get(monitorId);
    if (known === undefined || this.#deps.clock.monotonic() - known.at >= known.maxAgeMs) return undefined;
    return known;
  }

  #lookUp(monitorId: string): Lookup {
    const { pages, clock } = this.#deps;
    const lookup: Lookup = {
      subdomain: pages.showing(monitorId).then(([first = null]) => first),
      at: clock.monotonic(), maxAgeMs: FOUND_MS, forms: new WeakMap(),
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
