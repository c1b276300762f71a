import { WorkClaims } from '../../shared/work-claims.ts';
import { lookUp } from '../domains/look-up.ts';
import { DomainLookups } from '../domains/service.ts';
import { SourceStore } from '../domains/source-store.ts';
import { DomainSources, IANA } from '../domains/sources.ts';
import { DomainStore } from '../domains/store.ts';
import { QUERY_INTERVAL_MS, TurnStore } from '../domains/turn-store.ts';
import type { MonitorStore } from '../monitors/store.ts';
import { createAddressVetting } from '../platform/outbound/address-vetting.ts';
import { GuardedReader } from '../platform/outbound/reader.ts';
import type { ControllerPorts } from './ports.ts';

interface DomainSinks {
  monitors: Pick<MonitorStore, 'isDomainMonitored' | 'rejournalDomain'>;
  /** Configurations of some monitors have changed. */
  onConfigsChanged(): void;
}

export type Domains = Awaited<ReturnType<typeof openDomains>>;

/** The domains that monitors watch, and their lookups, where these are wanted. */
export async function openDomains(ports: ControllerPorts, { monitors, onConfigsChanged }: DomainSinks) {
  const { config, mongo: { db }, clock, log, peers, holder, resolve, domainRoots: roots = IANA } = ports;
  const [domains, turns, sources] = [new DomainStore(db), new TurnStore(db), new SourceStore(db)];
  await Promise.all([domains, turns].map((store) => store.ensureIndexes()));
  const vetting = createAddressVetting({ resolve, allowPrivate: config.destinations.allowPrivate, clock });
  const reader = new GuardedReader({ clock, vetting });
  const workClaims = new WorkClaims({ clock, holder, ttlMs: QUERY_INTERVAL_MS });
  const takeTurn = (server: string) => turns.take(server, workClaims, clock.now());
  const lookupDeps = { reader, roots, takeTurn };
  const deps = { ...lookupDeps, sources: new DomainSources({ store: sources, clock, holder, ...lookupDeps }) };
  const lookups = new DomainLookups({
    domains, turns, clock, log, peers, holder,
    monitors: {
      isDomainMonitored: (domain) => monitors.isDomainMonitored(domain),
      rejournalDomain: (domain) => monitors.rejournalDomain(domain).finally(onConfigsChanged),
    },
    lookUp: (domain) => lookUp(deps, domain),
    abortLookups: () => reader.close(),
  });
  return {
    store: domains, lookups,
    /** What is known of domains that changed monitors name; new ones are looked up. */
    track: async (names: string[]) => {
      const found = await domains.recordUses(names, clock.now());
      if (found.size > 0) lookups.triggerPoll();
      return found;
    },
    start: () => {
      if (config.domains.isLookupEnabled) lookups.start();
    },
    stop: () => lookups.stop(),
  };
}
