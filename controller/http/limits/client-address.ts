import { isIP, isIPv6 } from 'node:net';
import { ipv6Groups } from '../../../shared/net-guard.ts';

/** The client's address: the peer, or the X-Forwarded-For entry that our outermost trusted proxy added. */
export function clientAddress(
  peer: string | undefined, forwardedFor: string | string[] | undefined, trustedProxies: number,
): string {
  const own = plainAddress(peer ?? '');
  if (trustedProxies === 0 || forwardedFor === undefined) return own;
  const hops = String(forwardedFor).split(',').map((hop) => plainAddress(hop.trim()));
  const hop = hops[Math.max(0, hops.length - trustedProxies)];
  return hop !== undefined && isIP(hop) !== 0 ? hop : own;
}

/** The rate-limit key: an IPv4 address, or the /64 of an IPv6 address, which one customer usually has. */
export function addressBucket(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = ipv6Groups(address).slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/** Strips brackets and port, and converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(address: string): string {
  const bare = address.startsWith('[') ? address.slice(1).replace(/\].*$/, '') : address;
  return /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(bare)?.[1] ?? bare;
}
