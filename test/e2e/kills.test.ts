import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allArrived } from '../helpers/all-arrived.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { startFarwatch, type Farwatch, type FarwatchRole } from '../helpers/farwatch.ts';
import { readLedger, slotFaults, storeUrl, type Ledger } from '../helpers/ledger.ts';
import { randomOf } from '../helpers/random-of.ts';
import { repeats, SEED } from '../faults/tally.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { passTime } from '../helpers/pass-time.ts';

const MONITORS = repeats(300, 1100);
const INTERVAL_SECONDS = 2;
const KILLS_EACH = repeats(2, 5);

interface ListedMonitor {
  id: string;
  stats?: { totalChecks: number };
}

describe(`under load, with each process killed ${KILLS_EACH} times (FARWATCH_SEED=${SEED})`, () => {
  let farwatch: Farwatch;
  let target: Target;
  let receiver: Receiver;
  let session: ApiSession;
  let ledger: Ledger;
  let outageId = '';

  /** Only the first monitor is to have an outage; a busy machine must not cause one on the others. */
  const monitorBody = (at: number): object => ({
    name: `m${at}`, type: 'HTTP', target: `${target.url}/${at === 0 ? 'outage' : 'steady'}`,
    interval_seconds: INTERVAL_SECONDS,
    confirmation_policy: { retries: at === 0 ? 1 : 5 },
  });

  beforeAll(async () => {
    const env = {
      MIN_INTERVAL_SECONDS: '1', ALLOW_PRIVATE_DESTINATIONS: 'true', RATE_LIMIT: '1000000', LOG_LEVEL: 'info',
    };
    [
      farwatch, target, receiver,
    ] = await Promise.all([startFarwatch({ env }), startTarget(), startReceiver()]);
    session = await new ApiSession(farwatch.url).begin();
    await session.ok(
      'POST', '/api/integrations',
      { name: 'On call', type: 'webhook', is_default: true, config: { url: receiver.url } },
    );
    for (let at = 0; at < MONITORS; at += 25) {
      const made = await Promise.all(Array.from({ length: Math.min(25, MONITORS - at) }, (_, index) =>
        session.ok<{ monitor: ListedMonitor }>('POST', '/api/monitors', monitorBody(at + index))));
      if (at === 0) outageId = made[0]?.monitor.id as string;
    }
  });
  afterAll(async () => {
    await Promise.all([farwatch.stop(), target.close(), receiver.close()]);
  });

  test('every monitor is checked repeatedly', async () => {
    const before = target.count;
    await until(() => target.count - before > 3 * MONITORS, { what: 'three checks of each' });
  });

  test('controller, probe and NATS restart after each kill', async () => {
    const random = randomOf(SEED);
    target.respondWith({ status: 503 }, '/outage');
    await until(
      () => receiver.requests.some((request) => request.headers['x-service-event'] === 'monitor.down'),
      { what: 'monitor.down' },
    );
    for (let round = 0; round < KILLS_EACH; round += 1) {
      for (const role of ['controller', 'probe', 'nats-server'] satisfies FarwatchRole[]) {
        const killed = await farwatch.kill9(role);
        // One kill also wipes NATS's data: NATS is never the only place that holds something.
        if (role === 'nats-server' && round === 1) {
          rmSync(join(farwatch.dataDir, 'nats', 'store'), { recursive: true, force: true });
        }
        await farwatch.replaced(role, killed);
        await passTime(500 + random() * 2000);
      }
    }
    target.respondWith({ status: 200 }, '/outage');
    await until(
      () => receiver.requests.some((request) => request.headers['x-service-event'] === 'monitor.up'),
      { what: 'monitor.up' },
    );
  });

  test('all spooled results arrive after checks stop', async () => {
    for (let offset = 0; ; offset += 100) {
      const { monitors } = await session.ok<{ monitors: ListedMonitor[] }>(
        'GET', `/api/monitors?limit=100&sort_by=name&sort_order=asc&offset=${offset}`,
      );
      // A busy controller may refuse one with 503, which asks its clients to try again.
      await Promise.all(monitors.map(({ id }) => until(
        async () => (await session.call('POST', `/api/monitors/${id}/pause`)).status === 200,
        { what: `${id} is paused` },
      )));
      if (monitors.length < 100) break;
    }
    const probes = await allArrived(session);
    expect(probes).toHaveLength(1);
  });

  test('nothing is lost: no lane has a gap, and every slot has a result or a reason', async () => {
    ledger = await readLedger(storeUrl(farwatch.log()));
    expect(ledger.holes).toEqual([]);
    expect(ledger.byMonitor.size).toBe(MONITORS);
    const faults =
      [...ledger.byMonitor].map(([id, results]) => ({ id, ...slotFaults(results, INTERVAL_SECONDS * 1000) }));
    expect(faults.filter((fault) => fault.unexplained.length > 0)).toEqual([]);
    expect(faults.filter((fault) => fault.doubled.length > 0)).toEqual([]);
  });

  test('every stored result is counted once', async () => {
    const stored = new Map([...ledger.byMonitor].map(
      ([id, results]) => [id, results.filter((result) => result.outcome !== 'missed').length],
    ));
    const wrong = async (): Promise<ListedMonitor[]> => {
      const listed: ListedMonitor[] = [];
      for (let offset = 0; offset < MONITORS; offset += 100) {
        listed.push(...(await session.ok<{ monitors: ListedMonitor[] }>(
          'GET', `/api/monitors?limit=100&sort_by=name&sort_order=asc&offset=${offset}`,
        )).monitors);
      }
      return listed.filter(({ id, stats }) => stats?.totalChecks !== stored.get(id));
    };
    // The owners count the last results a moment after storing them.
    await until(
      async () => (await wrong()).length === 0, { what: 'all counts are those of the journal', everyMs: 500 },
    );
    const seen = [...stored.values()].reduce((sum, count) => sum + count, 0);
    // A check that the target saw but nobody stored was in flight when the probe was killed; its slot counts
    // as missed.
    expect(seen).toBeLessThanOrEqual(target.count);
  });

  test('one outage is one incident with one alert at its beginning and one at its end', async () => {
    const { incidents } = await session.ok<{ incidents: { id: string; status: string; check_id: string }[] }>(
      'GET', '/api/incidents?limit=100',
    );
    expect(incidents.map((incident) => [incident.check_id, incident.status])).toEqual([
      [outageId, 'resolved'],
    ]);
    const alerts = receiver.requests.map(
      (request) => JSON.parse(String(request.body)) as { event: string; incident: { id: string } },
    );
    expect(new Set(alerts.map((one) => one.incident.id))).toEqual(new Set([incidents[0]?.id]));
    // At least once, with a stable key: a kill between sending and recording may repeat one.
    for (const event of ['monitor.down', 'monitor.up']) {
      const count = alerts.filter((one) => one.event === event).length;
      expect(count).toBeGreaterThanOrEqual(1);
      expect(count).toBeLessThanOrEqual(1 + KILLS_EACH);
    }
  });
});
