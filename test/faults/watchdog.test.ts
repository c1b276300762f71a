import { afterAll, beforeAll, expect } from 'vitest';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { startMongoProxy } from '../helpers/fault-proxy.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { repeats, toOutcome } from './tally.ts';

const INTERVAL_MS = 5000;

let sink: Receiver;
let store: TestMongo;
let proxy: Awaited<ReturnType<typeof startMongoProxy>>;
let farwatch: Farwatch;
beforeAll(async () => {
  [sink, store] = await Promise.all([startReceiver(), testMongo()]);
  proxy = await startMongoProxy(store.url);
  const env = {
    MONGODB_URL: proxy.url, ALLOW_PRIVATE_DESTINATIONS: 'true', WATCHDOG_URL: `${sink.url}/ping/secret`,
    WATCHDOG_INTERVAL_SECONDS: String(INTERVAL_MS / 1000),
  };
  farwatch = await startFarwatch({ env });
});
afterAll(async () => {
  await farwatch?.stop();
  await proxy?.close();
  await store?.stop();
  await sink?.close();
});

/** Waits until no ping has arrived for two intervals; resolves to the Unix ms of the last one. */
async function pingsEnd(): Promise<number> {
  const last = () => sink.requests.at(-1)?.at ?? 0;
  await until(() => Date.now() - last() > 2 * INTERVAL_MS, { what: 'pings end', everyMs: 100 });
  return last();
}

fault('F47', 'only the alert worker stops: the database never responds to its queries', async () => {
  const stops = repeats(1, 3);
  await until(() => sink.requests.length >= 2, { what: 'pings' });
  expect(sink.requests[0]).toMatchObject({ method: 'GET', path: '/ping/secret' });
  const lateMs: number[] = [];
  const recoveryMs: number[] = [];
  for (let round = 0; round < stops; round += 1) {
    proxy.swallow('delivery_queues');
    const stoppedAt = Date.now();
    lateMs.push(Math.max(0, (await pingsEnd()) - stoppedAt));
    const ready = (await (await fetch(`${farwatch.url}/readyz`)).json()) as unknown;
    expect(ready, 'everything else works').toMatchObject({ data: { status: 'ready' } });
    const seen = sink.requests.length;
    proxy.heal();
    const healedAt = Date.now();
    await until(() => sink.requests.length > seen, { what: 'pings again' });
    recoveryMs.push(Date.now() - healedAt);
  }
  expect(farwatch.log()).toContain('not called because these are failing: delivery of alerts');
  expect(farwatch.log()).not.toContain('/ping/secret');
  return toOutcome(
    { injected: stops, recoveryMs },
    `last ping ${(Math.max(...lateMs) / 1000).toFixed(1)} s after the stop, at an interval of ${INTERVAL_MS / 1000} s`,
  );
});

fault('F47', 'the database is unreachable; then the controller is killed', async () => {
  await until(() => sink.requests.length >= 1, { what: 'pings' });
  proxy.drop('both');
  await pingsEnd();
  proxy.heal();
  const seen = sink.requests.length;
  await until(() => sink.requests.length > seen, { what: 'pings again' });
  const pingCount = sink.requests.length;
  await farwatch.kill9('controller');
  await until(() => sink.requests.length > pingCount, { what: 'pings after the restart' });
  return toOutcome({ injected: 2 }, 'pings stopped and resumed');
});
