import { isIP, isIPv6 } from 'node:net';

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
  return `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}

function unmapped(address: string): string {
  const bare = address.startsWith('[') ? address.slice(1).replace(/\].*$/, '') : address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare);
  if (mapped?.[1] !== undefined) return mapped[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(bare);
  return withPort?.[1] ?? bare;
}

/** The eight groups of an IPv6 address in lower-case hexadecimal without leading zeros. */
function groupsOf(address: string): string[] {
  const plain = (address.split('%')[0] ?? '').toLowerCase();
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain);
  const hex = (high: string | undefined, low: string | undefined) => ((Number(high) << 8) | Number(low)).toString(16);
  const text = dotted === null ? plain : `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}`;
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle: string[] = new Array<string>(tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...middle, ...right].map((group) => group.replace(/^0+(?=.)/, ''));
}
