import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOAD_SETTINGS } from '../faults/load.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { makeFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { runCommand } from './command/run-command.ts';

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

async function startOn(dataDir: string, settings: Record<string, string> = {}): Promise<Farwatch> {
  const farwatch = await makeFarwatch({ dataDir, env });
  installations.push(farwatch);
  await farwatch.start(settings);
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

/** Asserts that a command refuses in one line, and that it changed nothing. */
async function expectRefusal(args: string[], dataDir: string, reason: RegExp): Promise<void> {
  const contents = () => (existsSync(dataDir) ? readdirSync(dataDir, { recursive: true }).toSorted() : null);
  const before = contents();
  const { exitCode, stdout, stderr } = await runCommand(args, { DATA_DIR: dataDir });
  expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^farwatch: .*\n$/);
  expect(stderr).toMatch(reason);
  expect(contents()).toEqual(before);
}

test('a backup of a running installation restores everything, elsewhere and later, without a false alert', async () => {
  const first = await startOn(join(dir, 'data'), { SHARDS: '5' });
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

  const file = join(dir, 'backup');
  const startedAt = Date.now();
  const backup = await runCommand(['backup', file, '--json'], { DATA_DIR: first.dataDir });
  expect(backup).toMatchObject({ exitCode: 0, stderr: '' });
  const report = JSON.parse(backup.stdout) as { at: string; collections: Record<string, number> };
  expect(report).toMatchObject({ file, bytes: statSync(file).size, collections: { monitors: 1, users: 1, incidents: 1 } });
  expect(Date.parse(report.at)).toBeGreaterThanOrEqual(startedAt);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await expectRefusal(['backup', file], first.dataDir, /exists already/);
  await expectRefusal(['restore', file], first.dataDir, /not empty/);
  await expectRefusal(['move', '--to', 'mongodb://127.0.0.1:1/farwatch'], first.dataDir, /Another Farwatch .* is using/);

  expect(await first.end()).toBe(0);
  const copy = join(dir, 'copy');
  const damaged = join(dir, 'damaged');
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
  writeFileSync(damaged, bytes);
  await expectRefusal(['restore', damaged], copy, /damaged/);
  // As a restore that was killed leaves it.
  mkdirSync(join(copy, 'mongo.restoring'), { recursive: true });
  writeFileSync(join(copy, 'mongo.restoring/data.mdb'), 'half a database');
  await expect(startOn(copy)).rejects.toThrow(/is incomplete: farwatch restore was interrupted/);
  expect(await runCommand(['restore', file], { DATA_DIR: copy })).toMatchObject({ exitCode: 0, stderr: '' });

  const second = await startOn(copy);
  expect(second.log()).not.toContain('No account exists yet');
  expect(await (await fetch(`${second.url}/metrics`)).text()).toMatch(/^farwatch_shards_in_hand 5$/m);
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
