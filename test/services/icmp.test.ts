import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ensureRawSocket } from '../../deploy/quickstart/raw-socket.mjs';
import type { Finding } from '../../probe/checks/check.ts';
import { createIcmpCheck } from '../../probe/checks/icmp.ts';
import { choosePinger } from '../../probe/checks/icmp/choose-pinger.ts';
import type { Pinger } from '../../probe/checks/icmp/pinger.ts';
import { findSystemPinger } from '../../probe/checks/icmp/system-pinger.ts';
import { SystemResolver } from '../../probe/checks/network/resolver.ts';
import { Trust } from '../../probe/checks/tls/trust.ts';
import { systemClock } from '../../shared/time.ts';
import { ensureDebianPackages } from './packages.ts';
import { Router } from './router.ts';

const folder = mkdtempSync(join(tmpdir(), 'farwatch-ping-'));
let router: Router;

beforeAll(async () => {
  await ensureDebianPackages('iputils-ping', 'busybox', 'iproute2');
  symlinkSync('/bin/busybox', join(folder, 'ping'));
});
afterAll(() => rmSync(folder, { recursive: true }));

// A kernel returns only the first five packets of a sender, so no two of these share a router.
beforeEach(() => {
  router = Router.start();
});
afterEach(() => router?.stop());

type Host = keyof Router['hosts'] | '127.0.0.1' | '::1';

async function ping(pinger: Pinger | null, host: Host, change: object = {}): Promise<Finding> {
  expect(pinger, 'a way to ping').not.toBeNull();
  const check = createIcmpCheck({
    clock: systemClock, resolver: new SystemResolver(systemClock), allowAddress: () => true, version: '1',
    trust: new Trust(), pinger: pinger ?? undefined,
  });
  const spec = { type: 'ICMP', packet_count: 2, packet_size: 56, packet_timeout_ms: 1000, ttl: 64 };
  const address = host in router.hosts ? router.hosts[host as keyof Router['hosts']] : host;
  return check.run({ ...spec, host: address, ...change }, 30_000);
}

const PINGERS: readonly (readonly [string, () => Promise<Pinger | null>])[] = [
  ['raw sockets', async () => {
    await ensureRawSocket({ root: dirname(dirname(import.meta.dirname)), say: () => {} });
    const { pinger, rawUnavailableReason } = await choosePinger(systemClock);
    expect(rawUnavailableReason).toBeNull();
    return pinger;
  }],
  ['the ping of iputils', () => findSystemPinger(systemClock)],
  ['the ping of busybox', () => findSystemPinger(systemClock, join(folder, 'ping'))],
];

describe.each(PINGERS)('an ICMP check with %s', (name, find) => {
  let pinger: Pinger | null;
  beforeAll(async () => {
    pinger = await find();
  });

  test.each(['127.0.0.1', '::1', 'responding'] as const)('counts the replies of %s', async (host) => {
    const found = await ping(pinger, host, { packet_timeout_ms: 10_000 });
    expect(found).toMatchObject({ outcome: 'success', detail: { sent: 2, received: 2, loss_percent: 0 } });
    expect(found.detail?.['rtt_min_ms']).toBeGreaterThan(0);
  });

  test('reports how many packets a silent host did not answer', async () => {
    expect(await ping(pinger, 'silent')).toMatchObject({
      outcome: 'failure', detail: { sent: 2, received: 0, loss_percent: 100 },
      error: { type: 'timeout', layer: 'response', message: '0 of 2 replies within 1000 ms' },
    });
  });

  // busybox does not report the errors that routers return.
  test.runIf(name !== 'the ping of busybox').each([
    ['unreachable', {}, () => `Host unreachable (from ${router.address})`],
    ['prohibited', {}, () => `Prohibited by a firewall (from ${router.address})`],
    ['beyond', { ttl: 1 }, () => `TTL exceeded at ${router.address}`],
  ] as const)('names the router that returned its packets: %s', async (host, change, message) => {
    expect(await ping(pinger, host, change)).toMatchObject({
      outcome: 'failure', error: { type: 'connection_error', layer: 'connect', message: message() },
      detail: { sent: 2, received: 0 },
    });
  });
});

describe('the system\'s ping', () => {
  test('that is missing is not used', async () => {
    expect(await findSystemPinger(systemClock, '/nonexistent/ping')).toBeNull();
  });

  test('queues pings when there are many, and blames no target for the wait', async () => {
    const pinger = await findSystemPinger(systemClock);
    const found = await Promise.all(Array.from({ length: 100 }, () => ping(pinger, 'responding')));
    expect(found.filter(({ outcome }) => outcome === 'failure')).toEqual([]);
    const silent = await Promise.all(Array.from({ length: 40 }, () => ping(pinger, 'silent', { packet_count: 1 })));
    expect(new Set(silent.map(({ error }) => error?.message))).toEqual(new Set(['0 of 1 replies within 1000 ms']));
  });
});
