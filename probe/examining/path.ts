import type { RawSockets } from 'raw-socket';
import type { Examination } from '../../shared/contracts/examination.ts';
import type { Clock } from '../../shared/time.ts';
import { plainAddress } from '../checks/icmp/echo-socket.ts';
import type { Pinger } from '../checks/icmp/pinger.ts';
import { ownAddressTo } from '../checks/network/own-route.ts';
import type { LargePackets } from './large-packets.ts';
import { PingTrace } from './ping-trace.ts';
import { RawTrace } from './raw-trace.ts';
import type { Route } from './route.ts';

type Path = Examination['path'];

/** Tools to trace paths on this machine. */
export interface TraceTools {
  raw: RawSockets | null;
  /** Traces without raw sockets. */
  pinger: Pinger | null;
  /** Why raw sockets are not usable, worded for users; null if they are. */
  rawUnavailableReason: string | null;
}

/** Traces the path to an address, which the caller has vetted: by TCP if there is a port, else by ICMP. */
export async function tracePath(
  { clock, raw, pinger, rawUnavailableReason }: TraceTools & { clock: Clock },
  address: string, port: number | null, timeoutMs: number,
): Promise<Path> {
  const endsAtMs = clock.monotonic() + timeoutMs;
  const target = plainAddress(address);
  const source = await ownAddressTo(target);
  const leftMs = (): number => endsAtMs - clock.monotonic();
  if (source === null) return untraced(`This probe has no route to ${target}`, target);
  if (raw) {
    try {
      const trace = new RawTrace({ raw, clock, target, source, port });
      await trace.run(leftMs());
      return traced(port === null ? 'icmp' : 'tcp', null, target, trace);
    } catch (error) {
      return untraced(`Raw sockets could not be opened (${(error as Error).message})`, target);
    }
  }
  if (!pinger) return untraced(`No ping program found, and ${rawUnavailableReason}`, target);
  const trace = new PingTrace({ pinger, clock, target });
  await trace.run(leftMs());
  return traced('icmp', `Traced with ping, without round-trip times of routers: ${rawUnavailableReason}`, target, trace);
}

export function untraced(note: string | null, target: string | null = null): Path {
  return { method: 'none', note, target, hops: [], is_complete: false, large_packets: 'unknown' };
}

function traced(
  method: Path['method'], note: string | null, target: string, { route, large }: { route: Route; large: LargePackets },
): Path {
  return {
    method, note, target, hops: route.hops(),
    is_complete: route.isComplete || (route.endTtl === Infinity && large.hasResponse),
    large_packets: large.verdict,
  };
}
