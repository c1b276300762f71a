import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOAD_SETTINGS } from '../faults/load.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { makeFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { backup } from './backup.ts';

const MONITORS = fewOrAll(20, 40);

interface MonitorView {
  id: string;
  runtimeStatus: string;
}

/** All other tests of installations have 16. Each shard costs CPU at every start. */
describe.each(fewOrAll([64], [1, 256]))('an installation that started with SHARDS=%i', (count) => {
  let farwatch: Farwatch;
  let target: Target;
  let receiver: Receiver;
  let session: ApiSession;

  beforeAll(async () => {
    [farwatch, target, receiver] = await Promise.all([makeFarwatch({ env: LOAD_SETTINGS }), startTarget(), startReceiver()]);
    await farwatch.start({ SHARDS: String(count) });
    session = await new ApiSession(farwatch.url).begin();
  });
  afterAll(async () => {
    await Promise.all([farwatch?.stop(), target?.close(), receiver?.close()]);
  });

  const haveStatus = async (status: string): Promise<boolean> => {
    const { monitors } = await session.ok<{ monitors: MonitorView[] }>('GET', '/api/monitors?limit=100');
    return monitors.length === MONITORS && monitors.every(({ runtimeStatus }) => runtimeStatus === status);
  };
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${farwatch.url}/metrics`)).text();
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const alerted = (event: string): string[] => receiver.requests
    .filter(({ headers }) => headers['x-service-event'] === event)
    .map(({ body }) => (JSON.parse(String(body)) as { monitor: MonitorView }).monitor.id);

  test('checks its monitors in all shards', async () => {
    const config = { url: receiver.url, method: 'POST' };
    await session.ok('POST', '/api/integrations', { name: 'On call', type: 'webhook', is_default: true, config });
    for (let n = 0; n < MONITORS; n += 1) {
      const monitor = { name: `Shop ${n}`, type: 'HTTP', target: target.url, interval_seconds: 2 };
      await session.ok('POST', '/api/monitors', monitor);
    }
    await until(() => haveStatus('up'), { what: 'all monitors are up' });
    expect(await metric('farwatch_shards_in_hand')).toBe(count);
    expect(await metric('farwatch_monitors')).toBe(MONITORS);
  });

  test('alerts about each once, also after all of its processes were killed, and keeps the number', async () => {
    await farwatch.kill9All();
    await farwatch.start({ SHARDS: String(count) });
    session = session.at(farwatch.url);
    await until(() => haveStatus('up'), { what: 'all monitors are up' });
    target.respondWith({ status: 503 });
    await until(() => alerted('monitor.down').length >= MONITORS, { what: 'all alerts' });
    target.respondWith({ status: 200 });
    await until(() => alerted('monitor.up').length >= MONITORS, { what: 'all recoveries' });
    for (const event of ['monitor.down', 'monitor.up']) expect(new Set(alerted(event)).size).toBe(MONITORS);
    expect(alerted('monitor.down')).toHaveLength(MONITORS);
    expect(await metric('farwatch_shards_in_hand')).toBe(count);
    expect(await metric('farwatch_dead_letters_total')).toBe(0);
  });

  backup({
    get farwatch() {
      return farwatch;
    },
    get session() {
      return session;
    },
    get target() {
      return target;
    },
    get receiver() {
      return receiver;
    },
    shards: count, monitors: MONITORS,
  });

  test('refuses to start with another number', async () => {
    const refusal = `Farwatch cannot start: this installation has had ${count} shards since its first start, ` +
      `so SHARDS must be ${count} or unset, not 7`;
    await expect(farwatch.start({ SHARDS: '7' })).rejects.toThrow(refusal);
  });
});
