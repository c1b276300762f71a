import { isSpecOf, type CheckSpec, type DnsSpec } from '../../shared/contracts/check-spec.ts';
import { missed, type Check, type CheckContext, type Finding } from './check.ts';
import type { Plan } from './dns/plan.ts';
import { DnsRun } from './dns/run.ts';
import { SystemServers } from './network/system-servers.ts';
import { UdpSockets } from './dns/udp-sockets.ts';

/**
 * The DNS check. It talks to name servers directly, to distinguish empty responses, errors and timeouts, and
 * to query any record type at any server and port.
 */
export function createDnsCheck(context: CheckContext): Check {
  const { clock, systemServers = new SystemServers(clock) } = context;
  const network = { clock, udp: new UdpSockets(clock) };
  const resources = { context, systemServers, network, plans: new WeakMap<DnsSpec, Plan>() };
  return {
    type: 'DNS',
    run: (spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean): Promise<Finding> => {
      if (!isSpecOf(spec, 'DNS')) return Promise.resolve(missed('unsupported'));
      return new DnsRun(resources, spec, timeoutMs, allowPrivate).run();
    },
  };
}
