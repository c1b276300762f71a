import { lookUp } from '../domains/look-up.ts';
import { DomainLookups } from '../domains/service.ts';
import { DomainSources, IANA } from '../domains/sources.ts';
import { QUERY_INTERVAL_MS } from '../domains/turn-store.ts';
import { createAddressVetting } from '../platform/outbound/address-vetting.ts';
import { GuardedReader } from '../platform/outbound/reader.ts';
import { WorkClaims } from '../work/claimed-work.ts';
import type { ControllerPorts } from './ports.ts';

export type Domains = ReturnType<typeof openDomains>;

/** The domains that monitors watch, and their lookups, where these are wanted. */
export function openDomains(ports: ControllerPorts) {
  const { config, stores, signals, clock, log, peers, holder, resolve, domainRoots: roots = IANA } = ports;
  const { monitors, domains, registryTurns: turns, registrySources } = stores;
  const vetting = createAddressVetting({ resolve, allowPrivate: config.outsiders.allowPrivate, clock });
  const reader = new GuardedReader({ clock, vetting });
  const workClaims = new WorkClaims({ clock, holder, ttlMs: QUERY_INTERVAL_MS });
  const takeTurn = (server: string) => turns.take(server, workClaims, clock.now());
  const lookupDeps = { reader, roots, takeTurn };
  const sources = new DomainSources({ store: registrySources, clock, holder, ...lookupDeps });
  const deps = { ...lookupDeps, sources };
  const lookups = new DomainLookups({
    domains, turns, clock, log, peers, holder,
    monitors: {
      isDomainMonitored: (domain) => monitors.isDomainMonitored(domain),
      rejournalDomain: (domain) =>
        monitors.rejournalDomain(domain).finally(signals.monitorConfigsChanged.emit),
    },
    lookUp: (domain) => lookUp(deps, domain),
    abortLookups: () => reader.close(),
  });
  return {
    lookups,
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
