import { Claims } from '../../shared/claims.ts';
import { lookUp } from '../domains/look-up.ts';
import { DomainLookups } from '../domains/service.ts';
import { SourceStore } from '../domains/source-store.ts';
import { DomainSources, IANA } from '../domains/sources.ts';
import { DomainStore } from '../domains/store.ts';
import { BETWEEN_MS, TurnStore } from '../domains/turn-store.ts';
import type { MonitorStore } from '../monitors/store.ts';
import { createAddressVetting } from '../platform/outbound/address-vetting.ts';
import { GuardedReader } from '../platform/outbound/reader.ts';
import type { ControllerPorts } from './ports.ts';

interface DomainSinks {
  monitors: Pick<MonitorStore, 'watchDomain' | 'retellDomain'>;
  /** Configurations of some monitors have changed. */
  retold(): void;
}

export type Domains = Awaited<ReturnType<typeof openDomains>>;

/** The domains that monitors watch, and their lookups, where these are wanted. */
export async function openDomains(ports: ControllerPorts, { monitors, retold }: DomainSinks) {
  const { config, mongo: { db }, clock, log, company, holder, resolve, domainRoots: roots = IANA } = ports;
  const [domains, turns, sources] = [new DomainStore(db), new TurnStore(db), new SourceStore(db)];
  await Promise.all([domains, turns].map((store) => store.ensureIndexes()));
  const vetting = createAddressVetting({ resolve, allowPrivate: config.destinations.allowPrivate, clock });
  const reader = new GuardedReader({ clock, vetting });
  const claims = new Claims({ clock, holder, lastsMs: BETWEEN_MS });
  const takeTurn = (server: string) => turns.take(server, claims, clock.now());
  const asking = { reader, roots, takeTurn };
  const deps = { ...asking, sources: new DomainSources({ store: sources, clock, holder, ...asking }) };
  const lookups = new DomainLookups({
    domains, turns, clock, log, company, holder,
    monitors: {
      watchDomain: (domain) => monitors.watchDomain(domain),
      retellDomain: (domain) => monitors.retellDomain(domain).finally(retold),
    },
    lookUp: (domain) => lookUp(deps, domain),
    hangUp: () => reader.close(),
  });
  return {
    store: domains, lookups,
    /** What is known of domains that changed monitors name; new ones are looked up. */
    want: async (names: string[]) => {
      const found = await domains.want(names, clock.now());
      if (found.size > 0) lookups.soon();
      return found;
    },
    start: () => {
      if (config.domains.areLookedUp) lookups.start();
    },
    stop: () => lookups.stop(),
  };
}
