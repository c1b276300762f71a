import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOAD_SETTINGS } from '../faults/load.ts';
import type { ApiSession } from '../helpers/api-session.ts';
import { makeFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import type { Receiver } from '../helpers/receiver.ts';
import type { Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { runCommand } from './command/run-command.ts';

interface Shown {
  monitor: { runtimeStatus: string };
  incidents: { id: string; status: string }[];
  checks: number;
}

interface Installation {
  readonly farwatch: Farwatch;
  readonly session: ApiSession;
  /** Of all monitors; each had an incident. */
  readonly target: Target;
  readonly receiver: Receiver;
  readonly shards: number;
  readonly monitors: number;
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

/** Stops the installation. */
export function backup(on: Installation): void {
  let dir = '';
  const installations: Farwatch[] = [];
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'farwatch-backup-'));
  });
  afterAll(async () => {
    for (const each of installations) await each.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function startOn(dataDir: string): Promise<Farwatch> {
    const farwatch = await makeFarwatch({ dataDir, env: LOAD_SETTINGS });
    installations.push(farwatch);
    await farwatch.start();
    return farwatch;
  }

  test('a backup of a running installation restores everything, elsewhere and later, without a false alert', async () => {
    const { farwatch: first, session, target, receiver } = on;
    const { monitors } = await session.ok<{ monitors: { id: string }[] }>('GET', '/api/monitors');
    const id = String(monitors[0]?.id);
    const before = await shown(session, id);
    const sent = receiver.requests.length;

    const file = join(dir, 'backup');
    const startedAt = Date.now();
    const backup = await runCommand(['backup', file, '--json'], { DATA_DIR: first.dataDir });
    expect(backup).toMatchObject({ exitCode: 0, stderr: '' });
    const report = JSON.parse(backup.stdout) as { at: string; collections: Record<string, number> };
    const collections = { users: 1, monitors: on.monitors, incidents: on.monitors };
    expect(report).toMatchObject({ file, bytes: statSync(file).size, collections });
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
    const again = session.at(second.url);
    const restored = await until(() => shown(again, id), { what: 'the copy responds' });
    expect(restored.incidents).toEqual(before.incidents);
    expect(new Set(restored.incidents.map(({ status }) => status))).toEqual(new Set(['resolved']));
    expect(restored.checks).toBeGreaterThanOrEqual(before.checks);
    await until(
      async () => (await shown(again, id)).checks > restored.checks + 3, { what: 'checks continue' },
    );
    expect(await (await fetch(`${second.url}/metrics`)).text()).toMatch(new RegExp(`^farwatch_shards_in_hand ${on.shards}$`, 'm'));
    expect(await shown(again, id)).toMatchObject({ monitor: { runtimeStatus: 'up' }, incidents: before.incidents });
    expect(receiver.requests).toHaveLength(sent);
    target.respondWith({ status: 503 });
    await until(() => receiver.requests.length > sent, { what: 'an alert' });
  });
}
