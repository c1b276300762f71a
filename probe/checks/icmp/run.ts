import type { KnownSpec } from '../../../shared/contracts/check-spec.ts';
import type { CheckContext, Finding } from '../check.ts';
import { Deadline } from '../deadline.ts';
import { Target } from '../network/target.ts';
import { plainAddress } from './echo-socket.ts';
import { planPing, type Pinger } from './pinger.ts';
import { pingFinding } from './ping-finding.ts';

type IcmpSpec = Extract<KnownSpec, { type: 'ICMP' }>;

/** Pings the addresses of a host in turn until one responds. */
export async function runIcmpCheck(
  context: CheckContext, pinger: Pinger, spec: IcmpSpec, timeoutMs: number, allowPrivate?: boolean,
): Promise<Finding> {
  const target = new Target(context, new Deadline(context.clock, timeoutMs), allowPrivate);
  let found: Finding | null = null;
  const unreached = await target.reach(spec.host, 'any', async (address, shareMs) => {
    const plan = planPing(spec.packet_count, spec.packet_timeout_ms, shareMs);
    const report = await pinger.ping({
      address: plainAddress(address), count: spec.packet_count, size: spec.packet_size, ttl: spec.ttl, plan,
      maxQueueMs: Math.max(0, shareMs - plan.intervalMs * (spec.packet_count - 1) - plan.responseTimeoutMs),
    });
    const finding = pingFinding(report, plan.responseTimeoutMs, {
      remote_address: address,
      timings: target.lookupMs === null ? null : { dns: target.lookupMs },
      facts: target, observed: target,
    });
    // Reports the first of several silent addresses; a probe without IPv6 can't judge IPv6 addresses.
    if (!found || finding.outcome === 'success' || found.outcome === 'missed') found = finding;
    return finding.outcome === 'success';
  });
  return found ?? (unreached as Finding);
}
