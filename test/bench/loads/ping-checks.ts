import type { Finding } from '../../../probe/checks/check.ts';
import { createIcmpCheck } from '../../../probe/checks/icmp.ts';
import { choosePinger } from '../../../probe/checks/icmp/choose-pinger.ts';
import { SystemResolver } from '../../../probe/checks/network/resolver.ts';
import { Trust } from '../../../probe/checks/tls/trust.ts';
import { sleep, systemClock } from '../../../shared/time.ts';

/** Checks that start together; the others follow in steps of a millisecond, as a schedule spreads them. */
const STARTS_PER_STEP = 4;

/** ICMP checks of loopback addresses; null without permission to open raw sockets. */
export async function pingChecks(
  options: Record<string, unknown>,
): Promise<{ sent: number; received: number; rttsMs: number[]; cpuMs: number } | null> {
  const { addresses, packets } = options as { addresses: string[]; packets: number };
  const { pinger } = await choosePinger(systemClock);
  if (pinger?.method !== 'raw-socket') return null;
  const check = createIcmpCheck({
    clock: systemClock, resolver: new SystemResolver(systemClock), allowAddress: () => true, version: 'bench',
    trust: new Trust(), pinger,
  });
  const checkAll = async (): Promise<Finding[]> => {
    const running: Promise<Finding>[] = [];
    for (const [at, host] of addresses.entries()) {
      const spec = { type: 'ICMP', host, packet_count: packets, packet_size: 56, packet_timeout_ms: 2000, ttl: 64 };
      running.push(check.run(spec, 10_000));
      if (at % STARTS_PER_STEP === 0) await sleep(systemClock, 1);
    }
    return Promise.all(running);
  };
  // A real probe has been running for long, so its code is compiled.
  await checkAll();
  const before = process.cpuUsage();
  const findings = await checkAll();
  const used = process.cpuUsage(before);
  const facts = findings.map(({ detail }) => detail as { sent: number; received: number; rtt_avg_ms: number });
  return {
    sent: facts.reduce((sum, { sent }) => sum + sent, 0),
    received: facts.reduce((sum, { received }) => sum + received, 0),
    rttsMs: facts.map((fact) => fact.rtt_avg_ms), cpuMs: (used.user + used.system) / 1000,
  };
}
