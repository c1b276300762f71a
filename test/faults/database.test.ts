import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { startRequestLoop, kindsOf, slowest } from '../helpers/request-loop.ts';
import { startMongoProxy } from '../helpers/fault-proxy.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { passTime } from '../helpers/pass-time.ts';
import { until } from '../helpers/until.ts';
import { longFault } from './fault.ts';
import { requestMonitors } from './database-kills.ts';
import { Load } from './load.ts';
import { countResults, repeats, toOutcome } from './tally.ts';

const MONITORS = repeats(30, 60);

describe('unreachable', () => {
  let load: Load;
  let store: TestMongo;
  let proxy: Awaited<ReturnType<typeof startMongoProxy>>;
  beforeEach(async () => {
    store = await testMongo();
    proxy = await startMongoProxy(store.url);
    load = await Load.start({ MONGODB_URL: proxy.url }, store);
  });
  afterEach(async () => {
    await load?.stop();
    await proxy.close();
    await store.stop();
  });

  const rssMb = (pid: number) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

  longFault('F9', 'a firewall drops all packets between controller and database', async () => {
    const awaySeconds = repeats(8, 120);
    await load.steady(MONITORS, 'firewall');
    const { monitor } = await load.session.ok<{ monitor: {
      id: string;
      heartbeat_token: string;
    } }>('POST', '/api/monitors',
      { name: 'backup', type: 'HEARTBEAT', heartbeat_interval: 3, grace_period: 2 });
    const ping = async () => {
      const response =
        await fetch(`${load.farwatch.url}/api/heartbeat/${monitor.heartbeat_token}`, { method: 'POST' });
      const { error } = (await response.json()) as { error?: { code: string } };
      return { status: response.status, code: error?.code ?? null };
    };
    await until(
      async () => (await ping()).status === 200 && (await load.statusOf(monitor.id)) === 'up',
      { what: 'the heartbeat is up', everyMs: 200 },
    );
    const controller = await load.farwatch.pid('controller');
    const beforeMb = rssMb(controller);
    const [requestLoop, pingLoop] = [startRequestLoop(() => requestMonitors(load)), startRequestLoop(ping)];

    proxy.drop('both');
    const sincePings = pingLoop.responses.length;
    const storm = Array.from({ length: 500 }, () => ping().catch(() => ({ status: 0, code: null })));
    let peakMb = 0;
    for (let second = 0; second < awaySeconds; second += 1) {
      await passTime(1000);
      peakMb = Math.max(peakMb, rssMb(controller));
    }
    expect(new Set((await Promise.all(storm)).map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['503 SERVICE_UNAVAILABLE']),
    );
    const refusedPings =
      pingLoop.responses.slice(sincePings + 1).filter((response) => response.status === 503).length;
    expect(refusedPings).toBeGreaterThan(0);
    proxy.heal();
    const healedAt = performance.now();
    const [seenRequests, seenPinged] = [requestLoop.responses.length, pingLoop.responses.length];
    await until(
      () => requestLoop.responses.slice(seenRequests).some((response) => response.status === 200),
      { what: 'the API responds again' },
    );
    await until(
      () => pingLoop.responses.slice(seenPinged).some((response) => response.status === 200),
      { what: 'pings are accepted again' },
    );
    const recoveryMs = [performance.now() - healedAt];
    // Twice the time in which a heartbeat could wrongly go down.
    await passTime(10_000);
    expect(await load.statusOf(monitor.id)).toBe('up');
    // Otherwise it would correctly go down while the results are counted.
    await load.session.ok('POST', `/api/monitors/${monitor.id}/pause`);
    const responses = [...(await requestLoop.end()), ...(await pingLoop.end())];
    expect(kindsOf(responses)).toEqual(['200', '503 SERVICE_UNAVAILABLE']);
    expect(await load.farwatch.pid('controller'), 'the controller survived').toBe(controller);
    expect(peakMb - beforeMb).toBeLessThan(150);
    const results = await countResults(load);
    expect(
      (await load.session.ok<{ incidents: unknown[] }>('GET', '/api/incidents?limit=100')).incidents,
    ).toEqual([]);
    return toOutcome({ injected: 1, results, incidents: { expected: 0, opened: 0 }, recoveryMs },
      `away ${awaySeconds} s; slowest response ${(slowest(responses) / 1000).toFixed(1)} s; ${refusedPings + storm.length} pings 503; RSS at most ${Math.round(Math.max(0, peakMb - beforeMb))} MB more`);
  });
});
