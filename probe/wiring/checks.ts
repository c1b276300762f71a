import { choosePinger } from '../checks/icmp/choose-pinger.ts';
import { addressGuard, refusesPrivate } from '../checks/network/address-guard.ts';
import { NameServers } from '../checks/network/name-servers.ts';
import { SystemResolver } from '../checks/network/resolver.ts';
import { SystemServers } from '../checks/network/system-servers.ts';
import { CheckRegistry } from '../checks/registry.ts';
import { Trust } from '../checks/tls/trust.ts';
import type { ProbePorts } from './ports.ts';

export type Checks = Awaited<ReturnType<typeof openChecks>>;

/** All checks that this machine can run; `icmp` says how it pings, for the log. */
export async function openChecks({ settings, clock, version }: ProbePorts) {
  const { pinger, rawUnavailableReason } = await choosePinger(clock);
  const systemServers = new SystemServers(clock, { configured: settings.checks.nameServers });
  const registry = new CheckRegistry({
    clock, version, trust: new Trust(),
    resolver: new SystemResolver(clock, { servers: systemServers }), systemServers,
    allowAddress: addressGuard(settings.checks, clock),
    refusesPrivate: (allowPrivate) => refusesPrivate(settings.checks, allowPrivate),
    pinger: pinger ?? undefined,
  });
  const reason = rawUnavailableReason === null ? {} : { icmp_reason: rawUnavailableReason };
  const nameServers = new NameServers(clock, systemServers);
  return { registry, nameServers, icmp: { icmp: pinger?.method ?? 'none', ...reason } };
}
