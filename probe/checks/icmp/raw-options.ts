import type { RawSockets, Socket } from 'raw-socket';
import type { Family } from './packet.ts';

/** Linux constants that raw-socket has no names for (linux/icmp.h, icmpv6.h, in.h and in6.h). */
const LINUX = {
  SOL_RAW: 255, ICMP_FILTER: 1, SOL_ICMPV6: 58, ICMPV6_FILTER: 1,
  IP_MTU_DISCOVER: 10, IP_PMTUDISC_WANT: 1, IP_PMTUDISC_DO: 2, IPV6_DONTFRAG: 62,
} as const;

/** Where the kernel supports it, the socket then receives ICMP messages of these types only. */
export function acceptIcmpTypes(socket: Socket, family: Family, types: readonly number[]): void {
  if (process.platform !== 'linux') return;
  const [level, option, filter] = family === 4
    ? [LINUX.SOL_RAW, LINUX.ICMP_FILTER, filterOf(1, types)]
    : [LINUX.SOL_ICMPV6, LINUX.ICMPV6_FILTER, filterOf(8, types)];
  succeeds(() => socket.setOption(level, option, filter, filter.length));
}

/** Sets the TTL, or hop limit, of the packets sent from now on. */
export function setTtl(raw: RawSockets, socket: Socket, family: Family, ttl: number): void {
  const { SocketLevel, SocketOption } = raw;
  if (family === 4) socket.setOption(SocketLevel.IPPROTO_IP, SocketOption.IP_TTL, ttl);
  else socket.setOption(SocketLevel.IPPROTO_IPV6, SocketOption.IPV6_UNICAST_HOPS, ttl);
}

/** Sets whether the packets sent from now on may be fragmented; false if this system can't be told. */
export function allowFragments(
  { SocketLevel }: RawSockets, socket: Socket, family: Family, isAllowed: boolean,
): boolean {
  if (process.platform !== 'linux') return false;
  const { IP_MTU_DISCOVER, IP_PMTUDISC_DO, IP_PMTUDISC_WANT, IPV6_DONTFRAG } = LINUX;
  const [level, option, value] = family === 6
    ? [SocketLevel.IPPROTO_IPV6, IPV6_DONTFRAG, isAllowed ? 0 : 1]
    : [SocketLevel.IPPROTO_IP, IP_MTU_DISCOVER, isAllowed ? IP_PMTUDISC_WANT : IP_PMTUDISC_DO];
  return succeeds(() => socket.setOption(level, option, value));
}

/** A mask of `wordCount` 32-bit words in native byte order with a bit set for each type to drop. */
function filterOf(wordCount: number, wanted: readonly number[]): Buffer {
  const mask = new Uint32Array(wordCount).fill(0xffff_ffff);
  for (const type of wanted) mask[type >> 5] = (mask[type >> 5] as number) & ~(1 << (type & 31));
  return Buffer.from(mask.buffer);
}

export function isNothingToRead(error: Error): boolean {
  return /Resource temporarily unavailable|Interrupted system call/.test(error.message);
}

export function succeeds(configure: () => void): boolean {
  try {
    configure();
    return true;
  } catch {
    return false;
  }
}
