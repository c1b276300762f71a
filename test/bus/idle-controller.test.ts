import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Document } from 'mongodb';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { settled } from '../helpers/settled.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';

const clock = new WarpClock();
const counts = new Map<string, number>();
let rig: ControllerRig;
let mongo: Mongo;

beforeAll(async () => {
  const count = (command: Document) => {
    const [[name, collection]] = Object.entries(command) as [[string, unknown]];
    const what = `${name} ${String(collection)}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  };
  rig = await startControllerRig({ DOMAIN_LOOKUPS: 'true' }, count, undefined, { clock });
  mongo = checkedMongo(rig.store.url);
  await rig.session.ok('GET', '/api/monitors');
});

afterAll(async () => {
  await mongo?.close();
  await rig?.stop();
});

/** Advances time second by second, with real time for due work. Resolves to the seconds passed, including real ones. */
async function passSeconds(seconds: number): Promise<number> {
  const from = clock.monotonic();
  for (let at = 0; at < seconds; at += 1) {
    clock.warp(1000);
    await settled(mongo, rig.commands);
  }
  return (clock.monotonic() - from) / 1000;
}

test('an idle only controller queries the database less than once a second', async () => {
  await passSeconds(60);
  counts.clear();
  const seconds = await passSeconds(300);
  const total = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const summary = [...counts].map(([what, times]) => `${what}: ${times}`).join('; ');
  expect(total, summary).toBeLessThanOrEqual(0.8 * seconds);
  // It still renews its leases (less often on a machine too busy to finish within a second), and
  // polls for what it may have missed.
  expect(counts.get('update leases'), summary).toBeGreaterThanOrEqual(seconds / 15);
  for (const collection of ['monitors', 'pings', 'delivery_queues', 'domains', 'probes', 'regions']) {
    expect(counts.get(`find ${collection}`) ?? 0, summary).toBeGreaterThanOrEqual(4);
  }
});

test('polls for pings every second only while there is a heartbeat', async () => {
  const pollsPerSecond = async (): Promise<number> => {
    counts.clear();
    const seconds = await passSeconds(60);
    return (counts.get('find pings') ?? 0) / seconds;
  };
  const { session } = rig;
  await session.ok('POST', '/api/monitors', {
    name: 'Shop', type: 'HTTP', target: 'http://example.com', interval_seconds: 60,
  });
  await passSeconds(10);
  expect(await pollsPerSecond()).toBeLessThan(0.2);
  const body = { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60 };
  const { monitor } = await session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', body);
  await passSeconds(10);
  expect(await pollsPerSecond()).toBeGreaterThan(0.5);
  await session.ok('DELETE', `/api/monitors/${monitor.id}`);
  await passSeconds(70);
  expect(await pollsPerSecond()).toBeLessThan(0.2);
});

test('measures its own lateness, which causes wake-ups, only after the first scrape', async () => {
  const scrape = async () => (await fetch(`${rig.controller.url}/metrics`)).text();
  expect(await scrape()).toContain('nodejs_eventloop_lag_mean_seconds Nan');
  // Each scrape starts over, and two wake-ups make one measurement.
  await until(
    async () => /^nodejs_eventloop_lag_mean_seconds \d/m.test(await scrape()),
    { what: 'lateness is measured', everyMs: 1500 },
  );
});
