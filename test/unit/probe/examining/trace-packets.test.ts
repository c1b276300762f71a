import { describe, expect, test } from 'vitest';
import { readIcmp, readReturned, writeEchoRequest, type ReturnedPacket } from '../../../../probe/checks/icmp/packet.ts';
import {
  echoMark, respondedNumber, returnedNumber, SEGMENT_BYTES, writeSyn, type Flow,
} from '../../../../probe/examining/trace-packets.ts';

const V4: Flow = {
  family: 4, source: '192.0.2.1', target: '198.51.100.7', sourcePort: 61_234, port: 443, sequence: 0xffff_fff0,
};
const V6: Flow = { ...V4, family: 6, source: '2001:db8::1', target: '2001:db8:1::7' };
const HEX = {
  '192.0.2.1': 'c0000201', '198.51.100.7': 'c6336407',
  '2001:db8::1': '20010db8000000000000000000000001', '2001:db8:1::7': '20010db8000100000000000000000007',
} as Record<string, string>;

function synOf(flow: Flow, number: number): Buffer {
  const packet = Buffer.alloc(64, 0xff);
  writeSyn(packet, flow, number);
  return packet.subarray(0, SEGMENT_BYTES);
}

/** The one's complement sum of the 16-bit words of hexadecimal bytes; 0xffff if they include a correct checksum. */
function sumOf(hex: string): number {
  let sum = 0;
  for (const word of hex.match(/.{4}/g) ?? []) sum += parseInt(word, 16);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}

/** What a raw ICMP socket receives when a router returns the start of a packet. */
function timeExceeded(flow: Flow, protocol: number, content: Buffer): Buffer {
  const [source, target] = [HEX[flow.source], HEX[flow.target]];
  const quoted = flow.family === 4
    ? Buffer.from(`4500002c0000400001${protocol.toString(16).padStart(2, '0')}0000${source}${target}`, 'hex')
    : Buffer.from(`600000000018${protocol.toString(16).padStart(2, '0')}01${source}${target}`, 'hex');
  const icmp = Buffer.concat([Buffer.from([flow.family === 4 ? 11 : 3, 0, 0, 0, 0, 0, 0, 0]), quoted, content]);
  if (flow.family === 6) return icmp;
  icmp.writeUInt16BE(~sumOf(icmp.toString('hex')) & 0xffff, 2);
  return Buffer.concat([Buffer.from(`450000380000000040010000${'0a000001'}${source}`, 'hex'), icmp]);
}

describe.each([['IPv4', V4], ['IPv6', V6]] as const)('packets of a TCP trace over %s', (_name, flow) => {
  test('are SYNs with a valid checksum, and differ in nothing else but their sequence number', () => {
    for (const number of [1, 15, 16, 62]) {
      const syn = synOf(flow, number);
      const sequence = ((flow.sequence + number) >>> 0).toString(16).padStart(8, '0');
      expect(syn.toString('hex', 0, 16)).toBe(`ef3201bb${sequence}000000006002faf0`);
      expect(syn.toString('hex', 18)).toBe('0000020405b4');
      expect(sumOf(`${HEX[flow.source]}${HEX[flow.target]}00060018${syn.toString('hex')}`)).toBe(0xffff);
    }
  });

  test('are recognized in what routers return, by the eight bytes that all of them quote', () => {
    for (const number of [1, 30, 62]) {
      for (const length of [8, 24]) {
        const packet = timeExceeded(flow, 6, synOf(flow, number).subarray(0, length));
        const returned = readReturned(packet, flow.family) as ReturnedPacket;
        expect([returned.why, returned.ttl]).toEqual(['ttl_exceeded', 1]);
        expect(returnedNumber(returned, flow)).toBe(number);
        expect(readIcmp(packet, flow.family)).toBeNull();
      }
    }
    expect(readReturned(timeExceeded(flow, 6, synOf(flow, 1).subarray(0, 7)), flow.family)).toBeNull();
  });

  test('are not mistaken for those of other connections', () => {
    const own = synOf(flow, 3);
    const others: [Flow, number][] = [
      [{ ...flow, port: 80 }, 6], [{ ...flow, sourcePort: 61_235 }, 6], [flow, 17],
      [{ ...flow, target: flow.source }, 6],
    ];
    for (const [other, protocol] of others) {
      const content = protocol === 6 ? synOf(other, 3) : own;
      const returned = readReturned(timeExceeded(other, protocol, content), flow.family) as ReturnedPacket;
      expect(returnedNumber(returned, flow)).toBeNull();
    }
  });

  /** From the target, with an IP header for IPv4. */
  function response(flags: number, change: Partial<Flow> = {}, number = 7): Buffer {
    const { port, sourcePort, sequence } = { ...flow, ...change };
    const segment = Buffer.alloc(20);
    segment.writeUInt16BE(port, 0);
    segment.writeUInt16BE(sourcePort, 2);
    segment.writeUInt32BE((sequence + number + 1) >>> 0, 8);
    segment[13] = flags;
    const header = Buffer.from(`450000280000400040060000${HEX[flow.target]}${HEX[flow.source]}`, 'hex');
    return flow.family === 4 ? Buffer.concat([header, segment]) : segment;
  }

  test.each([['SYN and ACK', 0x12], ['RST and ACK', 0x14]])('are responded to by %s', (_flags, flags) => {
    expect(respondedNumber(response(flags), flow.target, flow)).toBe(7);
    expect(respondedNumber(response(flags), flow.source, flow)).toBeNull();
    expect(respondedNumber(response(flags, { port: 80 }), flow.target, flow)).toBeNull();
    expect(respondedNumber(response(flags, { sourcePort: 1 }), flow.target, flow)).toBeNull();
    expect(respondedNumber(response(flags).subarray(0, -1), flow.target, flow)).toBeNull();
  });

  test.each([0x02, 0x04, 0x10, 0x18])('are not responded to by flags %i', (flags) => {
    expect(respondedNumber(response(flags), flow.target, flow)).toBeNull();
  });

  test('that ping are echo requests with one checksum, recognized when returned', () => {
    const checksums = new Set<number>();
    for (const number of [0, 1, 30, 62, 1000, 2001]) {
      const mark = echoMark(number, 0x1234, 0xdeadbeef);
      const packet = Buffer.alloc(128);
      const length = writeEchoRequest(packet, flow.family, mark, 56);
      // The kernel writes the checksum of ICMPv6.
      checksums.add(flow.family === 4 ? packet.readUInt16BE(2) : sumOf(packet.toString('hex', 0, length)));
      const returned = timeExceeded(flow, flow.family === 4 ? 1 : 58, packet.subarray(0, length));
      expect(readIcmp(returned, flow.family)).toMatchObject({ kind: 'returned', why: 'ttl_exceeded', ...mark });
    }
    expect(checksums.size).toBe(1);
  });
});
