import type { Returned } from './packet.ts';
import type { PingProblem } from './pinger.ts';

const OVERLOAD: PingProblem = { whose: 'own', reason: 'overload' };
const NO_NETWORK: PingProblem = { whose: 'own', reason: 'probe_unhealthy' };
const UNREACHABLE: PingProblem = { whose: 'target', message: 'The host is unreachable' };
export const TOO_LARGE: PingProblem = { whose: 'target', message: 'The packet is too large for the path to the host' };

/** raw-socket reports errors only as system messages. Where glibc and musl differ, both are listed. */
const BY_TEXT: Readonly<Record<string, PingProblem>> = {
  'No buffer space available': OVERLOAD,
  'Cannot allocate memory': OVERLOAD,
  'Out of memory': OVERLOAD,
  'Resource temporarily unavailable': OVERLOAD,
  'Too many open files': OVERLOAD,
  'No file descriptors available': OVERLOAD,
  'No route to host': UNREACHABLE,
  'Host is unreachable': UNREACHABLE,
  'Message too long': TOO_LARGE,
  'Message too large': TOO_LARGE,
  // Error for a broadcast address.
  'Permission denied': { whose: 'own', reason: 'blocked_target' },
};

/**
 * Interprets a failed send. Unlisted messages are faults of this machine: no network, no IPv6, a local
 * firewall.
 */
export function sendFault(message: string): PingProblem {
  return BY_TEXT[message] ?? NO_NETWORK;
}

const RETURNED: Readonly<Record<Returned, (from: string) => string>> = {
  unreachable: (from) => `Host unreachable (from ${from})`,
  prohibited: (from) => `Prohibited by a firewall (from ${from})`,
  too_large: (from) => `The packet is too large for the path to the host (from ${from})`,
  ttl_exceeded: (from) => `TTL exceeded at ${from}`,
  refused: (from) => `Packet refused (from ${from})`,
};

/** Interprets a packet returned by the router or host `from`. */
export function returned(why: Returned, from: string): PingProblem {
  return { whose: 'target', message: RETURNED[why](from), returned: { why, from } };
}
