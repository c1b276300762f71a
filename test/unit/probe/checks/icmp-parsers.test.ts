import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readIcmp, writeEchoRequest } from '../../../../probe/checks/icmp/packet.ts';
import { readPingOutput } from '../../../../probe/checks/icmp/ping-output.ts';
import { planPing } from '../../../../probe/checks/icmp/pinger.ts';
import { pingFinding } from '../../../../probe/checks/icmp/ping-finding.ts';

const MARK = { identifier: 0x1234, sequence: 7, cookie: 0xaabbccddeeff };

/** A request as received: turned into a reply with a valid checksum, after an IPv4 header. */
function echoResponseTo(mark: typeof MARK | { identifier: number; sequence: number; cookie: null }, size: number): Buffer {
  const packet = Buffer.alloc(28 + size);
  Buffer.from('4500000000004000400100007f0000017f000001', 'hex').copy(packet);
  const icmp = packet.subarray(20);
  writeEchoRequest(icmp, 4, mark, size);
  icmp[0] = 0;
  // Type 8 became 0, so the sum of the words is 0x0800 lower and the checksum as much higher.
  const sum = icmp.readUInt16BE(2) + 0x0800;
  icmp.writeUInt16BE((sum & 0xffff) + (sum >> 16), 2);
  return packet;
}

describe('ICMP packets', () => {
  test('carry identifier, sequence, cookie and a valid checksum', () => {
    const packet = Buffer.alloc(64);
    expect(writeEchoRequest(packet, 4, MARK, 6)).toBe(14);
    expect(packet.toString('hex', 0, 2) + packet.toString('hex', 4, 14)).toBe('080012340007aabbccddeeff');
    let sum = 0;
    for (let at = 0; at < 14; at += 2) sum += packet.readUInt16BE(at);
    expect((sum & 0xffff) + (sum >> 16)).toBe(0xffff);
    writeEchoRequest(packet, 6, MARK, 6);
    expect(packet.toString('hex', 0, 8)).toBe('8000000012340007');
  });

  test.each([0, 1, 5])('with %i bytes of data have no cookie', (size) => {
    expect(readIcmp(echoResponseTo({ ...MARK, cookie: null }, size), 4))
      .toEqual({ kind: 'reply', ...MARK, cookie: null });
  });

  test.each([6, 7, 56, 1399, 1400])('with %i bytes of data are parsed as they were written', (size) => {
    expect(readIcmp(echoResponseTo(MARK, size), 4)).toEqual({ kind: 'reply', ...MARK });
  });

  test('that are damaged, truncated or of another kind are ignored', () => {
    const response = echoResponseTo(MARK, 56);
    for (let at = 20; at < response.length; at += 1) {
      const damaged = Buffer.from(response);
      damaged[at] = (damaged[at] as number) ^ 0x10;
      expect(readIcmp(damaged, 4), `byte ${at}`).toBeNull();
    }
    for (let length = 0; length < 28; length += 1) expect(readIcmp(response.subarray(0, length), 4)).toBeNull();
    const request = Buffer.alloc(64);
    writeEchoRequest(request, 6, MARK, 56);
    expect(readIcmp(request, 6)).toBeNull();
    expect(readIcmp(response, 6)).toBeNull();
  });

  test.each([
    [1, 0, 'unreachable'], [1, 1, 'prohibited'], [1, 5, 'prohibited'], [2, 0, 'too_large'], [3, 0, 'ttl_exceeded'],
    [4, 1, 'refused'],
  ])('of type %i and code %i return an IPv6 request: %s', (type, code, why) => {
    const destination = '20010db8000000000000000000000001';
    const [header, tail] = [`60000000000e3a40${'fd'.repeat(16)}`, '12340007aabbccddeeff'];
    const returned = (echo: string) =>
      readIcmp(Buffer.from(`0${type}0${code}000000000000${header}${destination}${echo}${tail}`, 'hex'), 6);
    expect(returned('80000000')).toEqual({ kind: 'returned', why, destination: Buffer.from(destination, 'hex'), ...MARK });
    // Our own returned reply says nothing about a check.
    expect(returned('81000000')).toBeNull();
  });
});

describe('system ping output', () => {
  const read = (name: string) =>
    readPingOutput(readFileSync(join(import.meta.dirname, `../../../fixtures/ping/${name}.txt`), 'utf8'));

  test.each([
    ['iputils-replies', 3], ['iputils-ipv6', 2], ['busybox-replies', 3], ['inetutils-replies', 3],
  ])('%s: %i replies', (name, count) => {
    const { rttsMs, sent, returned } = read(name);
    expect([rttsMs.length, sent, returned]).toEqual([count, count, null]);
    for (const rtt of rttsMs) expect(rtt).toBeGreaterThan(0);
  });

  test.each([
    ['iputils-lost', 1, null],
    ['busybox-lost', 1, null],
    ['iputils-ttl-exceeded', 2, { from: '192.0.2.1', why: 'ttl_exceeded' }],
    ['inetutils-ttl-exceeded', 1, { from: '192.0.2.1', why: 'ttl_exceeded' }],
    ['iputils-unreachable', 1, { from: '10.0.0.5', why: 'unreachable' }],
    ['inetutils-unreachable', 1, { from: '10.0.0.5', why: 'unreachable' }],
    ['iputils-ipv6-unreachable', 1, { from: 'fd00::2', why: 'unreachable' }],
    ['iputils-prohibited', 1, { from: '10.177.7.2', why: 'prohibited' }],
  ])('%s: no reply', (name, sent, returned) => {
    expect(read(name)).toEqual({ rttsMs: [], sent, returned });
  });

  test('counts a duplicate once, sorts by sequence, and copes with a truncated summary', () => {
    const line = (seq: number, ms: string, end = '') =>
      `64 bytes from 10.0.0.1: icmp_seq=${seq} ttl=64 time=${ms} ms${end}\n`;
    expect(readPingOutput(line(2, '20.5') + line(1, '10') + line(1, '30', ' (DUP!)')))
      .toEqual({ rttsMs: [10, 20.5], sent: null, returned: null });
  });
});

test.each([
  // Packets, reply timeout, total time; expected interval and timeout of the last.
  [1, 2000, 10_000, 0, 2000],
  [3, 2000, 10_000, 200, 2000],
  [10, 2000, 10_000, 200, 2000],
  [10, 10_000, 10_000, 200, 8200],
  [10, 2000, 1000, 500 / 9, 500],
  [1, 2000, 300, 0, 300],
])('%i packets of %i ms within %i ms are sent every %d ms and wait %d ms', (count, packetTimeoutMs, all, intervalMs, responseTimeoutMs) => {
  const plan = planPing(count, packetTimeoutMs, all);
  expect(plan.intervalMs).toBeCloseTo(intervalMs);
  expect(plan.responseTimeoutMs).toBeCloseTo(responseTimeoutMs);
});

test('a ping succeeds with any reply, and reports loss, round trips and jitter', () => {
  const found = pingFinding({ sent: 4, rttsMs: [10, 14, 12], problem: null }, 2000, { remote_address: '10.0.0.1' });
  expect(found).toMatchObject({ outcome: 'success', response_time_ms: 12, remote_address: '10.0.0.1', degraded: false });
  expect(found.detail).toEqual({
    sent: 4, received: 3, loss_percent: 25, rtt_min_ms: 10, rtt_avg_ms: 12, rtt_max_ms: 14, jitter_ms: 3,
  });
});

test.each([
  [{ sent: 3, problem: null }, 'failure', 'timeout', '0 of 3 replies within 2000 ms'],
  [
    { sent: 3, problem: { whose: 'target', message: 'TTL exceeded at 10.0.0.1' } } as const,
    'failure', 'connection_error', 'TTL exceeded at 10.0.0.1',
  ],
  [{ sent: 1, problem: { whose: 'own', reason: 'overload' } } as const, 'missed', undefined, undefined],
])('a ping without replies, %j, is a %s', (report, outcome, type, message) => {
  const found = pingFinding({ ...report, rttsMs: [] }, 2000, {});
  expect([found.outcome, found.error?.type, found.error?.message]).toEqual([outcome, type, message]);
});
