import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOAD_SETTINGS } from '../faults/load.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { makeFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';

interface Shown {
  monitor: { runtimeStatus: string };
  incidents: { id: string; status: string }[];
  checks: number;
}

const env = { ...LOAD_SETTINGS };
let dir = '';
let target: Target;
let receiver: Receiver;
const installations: Farwatch[] = [];
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-backup-'));
  [target, receiver] = await Promise.all([startTarget(), startReceiver()]);
});
afterAll(async () => {
  for (const each of installations) await each.stop();
  await Promise.all([target?.close(), receiver?.close()]);
  rmSync(dir, { recursive: true, force: true });
});

async function startOn(dataDir: string): Promise<Farwatch> {
  const farwatch = await makeFarwatch({ dataDir, env });
  installations.push(farwatch);
  await farwatch.start();
  return farwatch;
}

async function shown(session: ApiSession, id: string): Promise<Shown> {
  const [{ monitor }, { incidents }, { total_checks: checks }] = await Promise.all([
    session.ok<Pick<Shown, 'monitor'>>('GET', `/api/monitors/${id}`),
    session.ok<Pick<Shown, 'incidents'>>('GET', '/api/incidents'),
    session.ok<{ total_checks: number }>('GET', `/api/monitors/${id}/stats`),
  ]);
  return { monitor, incidents, checks };
}

test('a copy of the data directory restores everything, elsewhere and later, without a false alert', async () => {
  const first = await startOn(join(dir, 'data'));
  const session = await new ApiSession(first.url).begin();
  await session.ok(
    'POST', '/api/integrations',
    { name: 'On call', type: 'webhook', is_default: true, config: { url: receiver.url } },
  );
  const { monitor: { id } } = await session.ok<{ monitor: { id: string } }>(
    'POST', '/api/monitors', { name: 'Shop', type: 'HTTP', target: target.url, interval_seconds: 1 },
  );
  const untilAlerts = (count: number) =>
    until(() => receiver.requests.length === count, { what: `${count} alerts` });
  const isNow = (of: ApiSession, status: string) => until(
    async () => (await shown(of, id)).monitor.runtimeStatus === status, { what: status },
  );
  await isNow(session, 'up');
  target.respondWith({ status: 503 });
  await untilAlerts(1);
  target.respondWith({ status: 200 });
  await untilAlerts(2);
  await isNow(session, 'up');
  const before = await shown(session, id);

  expect(await first.end()).toBe(0);
  cpSync(first.dataDir, join(dir, 'copy'), { recursive: true });
  rmSync(first.dataDir, { recursive: true });
  const second = await startOn(join(dir, 'copy'));
  const again = session.at(second.url);
  const restored = await until(() => shown(again, id), { what: 'the copy responds' });
  expect(restored.incidents).toEqual(before.incidents);
  expect(restored.incidents).toMatchObject([{ status: 'resolved' }]);
  expect(restored.checks).toBeGreaterThanOrEqual(before.checks);
  await until(
    async () => (await shown(again, id)).checks > restored.checks + 5, { what: 'checks continue' },
  );
  expect(await shown(again, id)).toMatchObject({ monitor: { runtimeStatus: 'up' }, incidents: before.incidents });
  expect(receiver.requests).toHaveLength(2);
  target.respondWith({ status: 503 });
  await untilAlerts(3);
});
