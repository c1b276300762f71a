import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { CheckContext, Finding } from '../../../../probe/checks/check.ts';
import { createIcmpCheck } from '../../../../probe/checks/icmp.ts';
import { choosePinger } from '../../../../probe/checks/icmp/choose-pinger.ts';
import { addressGuard } from '../../../../probe/checks/network/address-guard.ts';
import { Trust } from '../../../../probe/checks/tls/trust.ts';
import { CheckRegistry } from '../../../../probe/checks/registry.ts';
import { resultOf } from '../../../../probe/runner/result.ts';
import { checkResult } from '../../../../shared/contracts/result.ts';
import { systemClock } from '../../../../shared/time.ts';
import { buildAssignment } from '../build.ts';

const { pinger } = await choosePinger(systemClock);
const isRaw = pinger?.method === 'raw-socket';
const hasIpv6 = Object.values(networkInterfaces()).flat().some((one) => one?.address === '::1');

const SPEC = { type: 'ICMP', host: '127.0.0.1', packet_count: 2, packet_size: 56, packet_timeout_ms: 10_000, ttl: 64 };

const contextWith = (change: Partial<CheckContext> = {}): CheckContext => ({
  clock: systemClock, allowAddress: () => true, version: '1', trust: new Trust(), pinger: pinger ?? undefined,
  resolver: {
    resolve: (_, family) => Promise.resolve({ ok: true, addresses: [family === 4 ? '127.0.0.1' : '::1'] }),
  },
  ...change,
});

const shared = createIcmpCheck(contextWith());

async function ping(change: Partial<typeof SPEC>, check = shared): Promise<Finding> {
  const finding = await check.run({ ...SPEC, ...change }, 60_000);
  const times = { scheduledAtMs: 1, startedAtMs: 1, attempt: 1, reason: 'schedule' } as const;
  checkResult.parse({ ...resultOf(buildAssignment(), times, finding), seq: 1 });
  return finding;
}

test("a probe that can't ping neither announces nor runs ICMP checks", async () => {
  const context = contextWith({ pinger: undefined });
  expect(await ping({}, createIcmpCheck(context))).toMatchObject({ outcome: 'missed', missed: 'unsupported' });
  expect(new CheckRegistry(context).capabilities).not.toContain('ICMP');
});

describe.runIf(isRaw)('an ICMP check over a raw socket', () => {
  test('announces its ping method', () => {
    expect(new CheckRegistry(contextWith()).capabilities).toEqual(expect.arrayContaining(['ICMP', 'ICMP/raw-socket']));
  });

  test.each([0, 1, 6, 56, 1400])('counts the replies to packets of %i bytes', async (size) => {
    const found = await ping({ packet_size: size });
    expect(found).toMatchObject({
      outcome: 'success', remote_address: '127.0.0.1', degraded: false, timings: null,
      detail: { sent: 2, received: 2, loss_percent: 0 },
    });
    expect(found.response_time_ms).toBe(found.detail?.['rtt_avg_ms']);
  });

  test.runIf(hasIpv6).each(['::1', '0:0:0:0:0:0:0:1'])('pings IPv6 addresses in any notation: %s', async (host) => {
    expect(await ping({ host })).toMatchObject({ outcome: 'success', detail: { sent: 2, received: 2 } });
  });

  test('reports the lookup time', async () => {
    const found = await ping({ host: 'local.test' });
    expect(found).toMatchObject({ outcome: 'success', remote_address: '127.0.0.1' });
    expect(found.timings?.dns).toBeGreaterThanOrEqual(0);
  });

  test('distinguishes 3,000 concurrent checks on one socket', async () => {
    const hosts = Array.from({ length: 3000 }, (_, nth) => `127.0.${1 + (nth >> 8)}.${nth & 255}`);
    const found = await Promise.all(hosts.map((host) => ping({ host, packet_count: 3, packet_size: lastByte(host) })));
    expect(found.map((one) => one.remote_address)).toEqual(hosts);
    expect(found.filter((one) => one.detail?.['received'] !== 3)).toEqual([]);
  });

  test('never sends to an address denied by the guard', async () => {
    const allowAddress = addressGuard(
      { allowPrivate: true, allowedRanges: [], deniedRanges: ['127.5.0.0/16'] }, systemClock,
    );
    const check = createIcmpCheck(contextWith({ allowAddress: (ip) => allowAddress(ip, true) }));
    const outcomes = await Promise.all(['127.5.0.1', '169.254.169.254', '224.0.0.1', '::ffff:127.0.0.1', '127.4.0.1']
      .map(async (host) => (await ping({ host }, check)).missed));
    expect(outcomes).toEqual(['blocked_target', 'blocked_target', 'blocked_target', 'blocked_target', null]);
  });
});

/** A size per host, from 0 to 255. */
function lastByte(host: string): number {
  return Number(host.split('.')[3]);
}
