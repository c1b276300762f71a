import {
  addressBytes, checksum, contentOfV4, type EchoMark, type Family, type ReturnedPacket,
} from '../checks/icmp/packet.ts';
import { isSameAddress } from '../checks/icmp/echo-socket.ts';

export const TCP = 6;
export const SEGMENT_BYTES = 24;
const HEADER_BYTES = 20;
const [SYN, RST, ACK] = [0x02, 0x04, 0x10] as const;
const WINDOW = 64_240;
/** Maximum segment size 1460, as from any client on an Ethernet. */
const MSS = Buffer.from([2, 4, 1460 >> 8, 1460 & 0xff]);

/**
 * The TCP connection that a trace appears to open. All its packets have the same addresses and ports, so
 * routers that balance load by these send them along the same path.
 */
export interface Flow {
  family: Family;
  source: string;
  target: string;
  sourcePort: number;
  port: number;
  /** Sequence number of packet 0, 32 bits; packet n has one that is n higher. */
  sequence: number;
}

/** Writes packet `number` of the flow, a SYN without an IP header, to the start of `into`. */
export function writeSyn(into: Buffer, flow: Flow, number: number): void {
  into.fill(0, 0, SEGMENT_BYTES);
  into.writeUInt16BE(flow.sourcePort, 0);
  into.writeUInt16BE(flow.port, 2);
  into.writeUInt32BE((flow.sequence + number) >>> 0, 4);
  into[12] = (SEGMENT_BYTES / 4) << 4;
  into[13] = SYN;
  into.writeUInt16BE(WINDOW, 14);
  MSS.copy(into, HEADER_BYTES);
  // The pseudo header (RFC 9293, 3.1) as a sum; the order of its parts does not matter.
  const pseudo = Buffer.from([
    ...addressBytes(flow.source), ...addressBytes(flow.target), 0, TCP, 0, SEGMENT_BYTES,
    ...into.subarray(0, SEGMENT_BYTES),
  ]);
  into.writeUInt16BE(checksum(pseudo, 0, pseudo.length), 16);
}

/** The number of the flow's packet that a received TCP packet responds to; null if there is none. */
export function respondedNumber(packet: Buffer, source: string, flow: Flow): number | null {
  const at = flow.family === 4 ? contentOfV4(packet, 0) : 0;
  if (at === null || packet.length < at + HEADER_BYTES || source !== flow.target) return null;
  const isOurs = packet.readUInt16BE(at) === flow.port && packet.readUInt16BE(at + 2) === flow.sourcePort;
  const flags = packet[at + 13] as number;
  if (!isOurs || (flags & ACK) === 0 || (flags & (SYN | RST)) === 0) return null;
  return (packet.readUInt32BE(at + 8) - 1 - flow.sequence) >>> 0;
}

/** The number of the flow's packet that a router returned; null for other packets. */
export function returnedNumber(
  { protocol, destination, content }: ReturnedPacket, flow: Flow,
): number | null {
  const isOurs = protocol === TCP && isSameAddress(flow.target, destination)
    && content.readUInt16BE(0) === flow.sourcePort && content.readUInt16BE(2) === flow.port;
  return isOurs ? (content.readUInt32BE(4) - flow.sequence) >>> 0 : null;
}

/**
 * Marks echo request `sequence` of a trace. The start of its cookie offsets the number, so that all requests
 * have the same checksum, by which routers may balance load.
 */
export function echoMark(sequence: number, identifier: number, cookie: number): EchoMark {
  return { identifier, sequence, cookie: (~sequence & 0xffff) * 2 ** 32 + cookie };
}
