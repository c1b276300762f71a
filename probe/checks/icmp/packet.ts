import { isIPv6 } from 'node:net';
import { ipv6Groups } from '../../../shared/net-guard.ts';

/** IPv4 or IPv6. */
export type Family = 4 | 6;

/** The bytes of an IP address. */
export function addressBytes(address: string): number[] {
  return isIPv6(address)
    ? ipv6Groups(address).flatMap((group) => [group >> 8, group & 0xff])
    : address.split('.').map(Number);
}

/** Bytes of data that hold the cookie. */
export const COOKIE_BYTES = 6;

/** Identifies one echo request. */
export interface EchoMark {
  /** 16 bits, one per process. */
  identifier: number;
  /** 16 bits, one per packet. */
  sequence: number;
  /** 48 random bits at the start of the data; null if the data is too short for them. */
  cookie: number | null;
}

/** Why a router or this host returned a request. */
export type Returned = 'unreachable' | 'prohibited' | 'too_large' | 'ttl_exceeded' | 'refused';

/** A message about an echo request. */
export type IcmpMessage =
  | ({ kind: 'reply' } & EchoMark)
  | ({ kind: 'returned'; why: Returned; destination: Uint8Array } & EchoMark);

interface Types {
  request: number;
  echoResponse: number;
  returned: ReadonlyMap<number, Returned>;
  /** Codes of "destination unreachable" that indicate a filter, not a missing route. */
  unreachable: number;
  prohibitedCodes: readonly number[];
  tooLargeCode: number | null;
}

/** RFC 792, RFC 1122 and RFC 1812. */
const V4: Types = {
  request: 8, echoResponse: 0, unreachable: 3, prohibitedCodes: [9, 10, 13], tooLargeCode: 4,
  returned: new Map([[3, 'unreachable'], [11, 'ttl_exceeded'], [12, 'refused']]),
};
/** RFC 4443. */
const V6: Types = {
  request: 128, echoResponse: 129, unreachable: 1, prohibitedCodes: [1, 5], tooLargeCode: null,
  returned: new Map([[1, 'unreachable'], [2, 'too_large'], [3, 'ttl_exceeded'], [4, 'refused']]),
};

const HEADER_BYTES = 8;
const V6_HEADER_BYTES = 40;
export const ICMP = 1;
export const ICMPV6 = 58;

/**
 * Writes an echo request with `size` bytes of data to the start of `into` and returns its length. For ICMPv6,
 * the kernel adds the checksum.
 */
export function writeEchoRequest(into: Buffer, family: Family, mark: EchoMark, size: number): number {
  const length = HEADER_BYTES + size;
  into[0] = family === 4 ? V4.request : V6.request;
  into[1] = 0;
  into.writeUInt16BE(0, 2);
  into.writeUInt16BE(mark.identifier, 4);
  into.writeUInt16BE(mark.sequence, 6);
  for (let at = HEADER_BYTES; at < length; at += 1) into[at] = at & 0xff;
  if (mark.cookie !== null) into.writeUIntBE(mark.cookie, HEADER_BYTES, COOKIE_BYTES);
  if (family === 4) into.writeUInt16BE(checksum(into, 0, length), 2);
  return length;
}

/** A packet of ours that a router or host returned. */
export interface ReturnedPacket {
  why: Returned;
  destination: Uint8Array;
  /** Number of its transport protocol. */
  protocol: number;
  /** Its TTL when the router returned it. */
  ttl: number;
  /** From its transport header on, at least 8 bytes. Routers may include as little more as they like. */
  content: Buffer;
}

/**
 * Parses a packet from a raw socket, including the IP header for IPv4. Null unless it is an echo reply or a
 * request returned by a router; the caller matches it to its own requests.
 */
export function readIcmp(packet: Buffer, family: Family): IcmpMessage | null {
  const start = icmpIn(packet, family);
  if (start === null) return null;
  const { echoResponse, request } = family === 4 ? V4 : V6;
  if (packet[start] === echoResponse) return { kind: 'reply', ...markAt(packet, start) };
  const returned = returnedAt(packet, start, family);
  if (returned?.protocol !== (family === 4 ? ICMP : ICMPV6) || returned.content[0] !== request) return null;
  const { why, destination, content } = returned;
  return { kind: 'returned', why, destination, ...markAt(content, 0) };
}

/** The returned packet of any protocol in a packet from a raw ICMP socket; null if there is none. */
export function readReturned(packet: Buffer, family: Family): ReturnedPacket | null {
  const start = icmpIn(packet, family);
  return start === null ? null : returnedAt(packet, start, family);
}

function returnedAt(packet: Buffer, start: number, family: Family): ReturnedPacket | null {
  const types = family === 4 ? V4 : V6;
  const why = whyReturned(types, packet[start] as number, packet[start + 1] as number);
  const at = start + HEADER_BYTES;
  const content = why === null ? null : (family === 4 ? contentOfV4(packet, at) : contentOfV6(packet, at));
  if (why === null || content === null || packet.length < content + HEADER_BYTES) return null;
  const [first, last, protocol, ttl] = family === 4 ? [16, 20, 9, 8] : [24, 40, 6, 7];
  return {
    why, destination: packet.subarray(at + first, at + last), protocol: packet[at + protocol] as number,
    ttl: packet[at + ttl] as number, content: packet.subarray(content),
  };
}

/** Offset of a complete ICMP header in a packet from a raw socket; null if it has none. */
function icmpIn(packet: Buffer, family: Family): number | null {
  const start = family === 4 ? contentOfV4(packet, 0) : 0;
  if (start === null || packet.length < start + HEADER_BYTES) return null;
  // The kernel has verified the checksum of ICMPv6.
  if (family === 6) return start;
  return packet[9] === ICMP && checksum(packet, start, packet.length) === 0 ? start : null;
}

function whyReturned(types: Types, type: number, code: number): Returned | null {
  const why = types.returned.get(type) ?? null;
  if (type !== types.unreachable) return why;
  if (types.prohibitedCodes.includes(code)) return 'prohibited';
  return code === types.tooLargeCode ? 'too_large' : why;
}

/** Offset of what an IPv4 packet contains; null if it is none. */
export function contentOfV4(packet: Buffer, at: number): number | null {
  if (packet.length < at + 20) return null;
  const first = packet[at] as number;
  const headerBytes = (first & 0x0f) * 4;
  return first >> 4 === 4 && headerBytes >= 20 ? at + headerBytes : null;
}

/** The same for IPv6; our requests have no extension headers. */
function contentOfV6(packet: Buffer, at: number): number | null {
  const isV6 = packet.length >= at + V6_HEADER_BYTES && (packet[at] as number) >> 4 === 6;
  return isV6 ? at + V6_HEADER_BYTES : null;
}

function markAt(packet: Buffer, at: number): EchoMark {
  const hasCookie = packet.length >= at + HEADER_BYTES + COOKIE_BYTES;
  return {
    identifier: packet.readUInt16BE(at + 4), sequence: packet.readUInt16BE(at + 6),
    cookie: hasCookie ? packet.readUIntBE(at + HEADER_BYTES, COOKIE_BYTES) : null,
  };
}

/**
 * The Internet checksum (RFC 1071) of `bytes` from `start` to `end`; 0 if they include a correct checksum.
 */
export function checksum(bytes: Buffer, start: number, end: number): number {
  let sum = 0;
  let at = start;
  for (; at + 1 < end; at += 2) sum += ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  if (at < end) sum += (bytes[at] as number) << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
