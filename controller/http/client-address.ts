import { isIP, isIPv6 } from 'node:net';
import { ipv6Groups } from '../../shared/net-guard.ts';

/**
 * The address of whoever sent the request: with `trustedProxies` = n, the n-th from the right of what our own
 * proxies wrote into X-Forwarded-For; with 0, the peer of the connection. Anything further left is the caller's word.
 */
export function clientAddress(peer: string | undefined, forwardedFor: string | string[] | undefined, trustedProxies: number): string {
  const own = unmapped(peer ?? '');
  if (trustedProxies === 0 || forwardedFor === undefined) return own;
  const text = typeof forwardedFor === 'string' ? forwardedFor : forwardedFor.join(',');
  const hops = text.split(',').map((hop) => unmapped(hop.trim()));
  const hop = hops[Math.max(0, hops.length - trustedProxies)];
  return hop !== undefined && isIP(hop) !== 0 ? hop : own;
}

/** What an address is counted under: itself, or for IPv6 its /64, which is what one customer is given. */
export function addressBucket(address: string): string {
  if (!isIPv6(address)) return address;
  return `${ipv6Groups(address).slice(0, 4).map((group) => group.toString(16)).join(':')}::/64`;
}

function unmapped(address: string): string {
  const bare = address.startsWith('[') ? address.slice(1).replace(/\].*$/, '') : address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare);
  if (mapped?.[1] !== undefined) return mapped[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(bare);
  return withPort?.[1] ?? bare;
}
