/** IPv4 or IPv6. */
export type Family = 4 | 6;

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
const ICMP = 1;
const ICMPV6 = 58;

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

/**
 * Parses a packet from a raw socket, including the IP header for IPv4. Null unless it is an echo reply or a
 * request returned by a router; the caller matches it to its own requests.
 */
export function readIcmp(packet: Buffer, family: Family): IcmpMessage | null {
  const start = family === 4 ? dataOfV4(packet, 0) : 0;
  if (start === null || packet.length < start + HEADER_BYTES) return null;
  // The kernel has verified the checksum of ICMPv6.
  if (family === 4 && checksum(packet, start, packet.length) !== 0) return null;
  const types = family === 4 ? V4 : V6;
  const type = packet[start] as number;
  if (type === types.echoResponse) return { kind: 'reply', ...markAt(packet, start) };
  const why = whyReturned(types, type, packet[start + 1] as number);
  return why === null ? null : readReturned(packet, start + HEADER_BYTES, family, why);
}

/** A returned request. Routers may include as little of its data as they like. */
function readReturned(packet: Buffer, at: number, family: Family, why: Returned): IcmpMessage | null {
  const icmp = family === 4 ? dataOfV4(packet, at) : dataOfV6(packet, at);
  if (icmp === null || packet.length < icmp + HEADER_BYTES) return null;
  if (packet[icmp] !== (family === 4 ? V4 : V6).request) return null;
  const [first, last] = family === 4 ? [16, 20] : [24, 40];
  const destination = packet.subarray(at + first, at + last);
  return { kind: 'returned', why, destination, ...markAt(packet, icmp) };
}

function whyReturned(types: Types, type: number, code: number): Returned | null {
  const why = types.returned.get(type) ?? null;
  if (type !== types.unreachable) return why;
  if (types.prohibitedCodes.includes(code)) return 'prohibited';
  return code === types.tooLargeCode ? 'too_large' : why;
}

/** Offset of the ICMP message in an IPv4 packet; null if it has none. */
function dataOfV4(packet: Buffer, at: number): number | null {
  if (packet.length < at + 20) return null;
  const first = packet[at] as number;
  const headerBytes = (first & 0x0f) * 4;
  return first >> 4 === 4 && headerBytes >= 20 && packet[at + 9] === ICMP ? at + headerBytes : null;
}

/** The same for IPv6; our requests have no extension headers. */
function dataOfV6(packet: Buffer, at: number): number | null {
  const isIcmp = packet.length >= at + V6_HEADER_BYTES && packet[at + 6] === ICMPV6;
  return isIcmp && (packet[at] as number) >> 4 === 6 ? at + V6_HEADER_BYTES : null;
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
function checksum(bytes: Buffer, start: number, end: number): number {
  let sum = 0;
  let at = start;
  for (; at + 1 < end; at += 2) sum += ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  if (at < end) sum += (bytes[at] as number) << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
