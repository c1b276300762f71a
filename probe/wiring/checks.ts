import { EXAMINE_CAPABILITY } from '../../shared/contracts/examination.ts';
import { choosePinger } from '../checks/icmp/choose-pinger.ts';
import { addressGuard, refusesPrivate } from '../checks/network/address-guard.ts';
import { NameServers } from '../checks/network/name-servers.ts';
import { SystemResolver } from '../checks/network/resolver.ts';
import { SystemServers } from '../checks/network/system-servers.ts';
import { CheckRegistry } from '../checks/registry.ts';
import { Trust } from '../checks/tls/trust.ts';
import type { ProbePorts, ProbeSettings } from './ports.ts';

/** For all examinations, in addition to those of checks. */
const MAX_TRACE_PROCESSES = 12;

export type Checks = Awaited<ReturnType<typeof openChecks>>;

/** All checks that this machine can run; `icmp` says how it pings, for the log. */
export async function openChecks(
  { settings, clock, version }: Pick<ProbePorts, 'clock' | 'version'> & { settings: Pick<ProbeSettings, 'checks'> },
) {
  const { pinger, raw, rawUnavailableReason } = await choosePinger(clock);
  const systemServers = new SystemServers(clock, { configured: settings.checks.nameServers });
  const context = {
    clock, version, trust: new Trust(),
    resolver: new SystemResolver(clock, { servers: systemServers }), systemServers,
    allowAddress: addressGuard(settings.checks, clock),
    refusesPrivate: (allowPrivate?: boolean) => refusesPrivate(settings.checks, allowPrivate),
    pinger: pinger ?? undefined,
  };
  const reason = rawUnavailableReason === null ? {} : { icmp_reason: rawUnavailableReason };
  const registry = new CheckRegistry(context);
  return {
    registry, context,
    nameServers: new NameServers(clock, (domain) => context.resolver.nameServersOf(domain)),
    /** As announced to the controllers. */
    capabilities: [...registry.capabilities, ...(settings.checks.examines ? [EXAMINE_CAPABILITY] : [])],
    /** Separate processes: no check by ping waits for an examination. */
    trace: {
      raw, rawUnavailableReason, pinger: raw ? pinger : (pinger?.separate(MAX_TRACE_PROCESSES) ?? null),
    },
    icmp: { icmp: pinger?.method ?? 'none', ...reason },
  };
}
