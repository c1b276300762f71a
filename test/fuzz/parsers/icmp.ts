import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type * as Packet from '../../../probe/checks/icmp/packet.ts';
import type * as PingOutput from '../../../probe/checks/icmp/ping-output.ts';
import { fuzzedParser } from './fuzzed-parser.ts';

/** An IPv4 header before an echo reply, and before a returned echo request. */
const V4_ECHO_RESPONSE = '4500002200004000400100007f0000017f000001' + '0000ffff000000000000000000000000';
const V4_RETURNED = '45c0003e00000000ff010000c0000201c0000202' + '0b00f4ff00000000'
  + '4500002200004000010100000a00000101010101' + '0800b1ff12340001aabbccddeeff';
const V6_RETURNED = '0100000000000000' + `60000000001a3a40${'fd'.repeat(16)}${'20'.repeat(16)}`
  + '8000000012340001aabbccddeeff';

/** For any packet, numbers are within their bits and the destination is an address. */
export const icmpPacket = fuzzedParser<typeof Packet>({
  name: 'icmp-packet', entry: 'probe/checks/icmp/packet.ts',
  seeds: [V4_ECHO_RESPONSE, V4_RETURNED, V6_RETURNED, '8100000012340001aabbccddeeff'].map((hex) => Buffer.from(hex, 'hex')),
  feed: ({ readIcmp }, bytes) => {
    for (const family of [4, 6] as const) {
      const message = readIcmp(bytes, family);
      if (!message) continue;
      assert.ok(message.identifier >= 0 && message.identifier <= 0xffff);
      assert.ok(message.sequence >= 0 && message.sequence <= 0xffff);
      assert.ok(message.cookie === null || (message.cookie >= 0 && message.cookie < 2 ** 48));
      if (message.kind === 'returned') assert.equal(message.destination.length, family === 4 ? 4 : 16);
    }
  },
});

/** In the checkout, where npm runs; the bundled fuzzer is elsewhere. */
const FIXTURES = resolve('test/fixtures/ping');

export const pingOutput = fuzzedParser<typeof PingOutput>({
  name: 'ping-output', entry: 'probe/checks/icmp/ping-output.ts',
  seeds: readdirSync(FIXTURES).map((name) => readFileSync(join(FIXTURES, name))),
  feed: ({ readPingOutput }, bytes) => {
    const { rttsMs, sent, returned } = readPingOutput(bytes.toString('latin1'));
    assert.ok(rttsMs.length <= 200 && rttsMs.every((rtt) => rtt >= 0 && rtt < 1e7));
    assert.ok(sent === null || (sent >= 0 && sent < 1e6));
    assert.ok(returned === null || returned.from.length <= 64);
  },
});
