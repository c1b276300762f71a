import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { MongoClient } from 'mongodb';
import { expect } from 'vitest';
import { restore } from '../../deploy/data/restore.ts';
import { startEmbeddedMongo } from '../../deploy/embedded/mongo/server.ts';
import { runCommand, startCommand, type CommandRun } from '../e2e/command/run-command.ts';
import { readLedger, slotFaults, storeUrl, type Ledger } from '../helpers/ledger.ts';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { until } from '../helpers/until.ts';
import type { FarProbe } from './far-probe.ts';
import { fault, longFault } from './fault.ts';
import type { IncidentView, Load } from './load.ts';
import { countResults, repeats, SEED, toOutcome } from './tally.ts';

interface Options {
  readonly load: Load;
  readonly far: FarProbe;
  readonly servers: { stop(): Promise<void> }[];
}

/** What an installation has at one moment. */
interface Known {
  ledger: Ledger;
  incidents: IncidentView[];
}

interface StoredIncident {
  _id: string;
  check_id: string;
  status: string;
}

const FAR = { monitoring_regions: ['far'] };
/** Checked every two seconds. */
const MONITORS = repeats(8, 200);
/** Writing a backup of so little data takes about this long. */
const MAX_WRITING_MS = 60;
const { version: VERSION } = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'),
) as { version: string };

/** Backups of an installation under load, and its move to another database. */
export function copies(on: Options): void {
  const dataDir = () => ({ DATA_DIR: on.load.farwatch.dataDir });

  async function known(): Promise<Known> {
    const ledger = await readLedger(storeUrl(on.load.farwatch.log()));
    return { ledger, incidents: await on.load.incidents() };
  }

  /** Runs a command that is killed `afterMs` after it has reached `from`, unless it ends before. */
  async function killed(args: string[], afterMs: number, from = () => true): Promise<CommandRun> {
    const { kill, ended } = startCommand(args, dataDir());
    let hasEnded = false;
    void ended.then(() => (hasEnded = true));
    await until(() => from() || hasEnded, { what: 'the moment from which it may be killed', everyMs: 1 });
    await Promise.race([passTime(afterMs), ended]);
    kill('SIGKILL');
    return ended;
  }

  /** Restores a backup, and compares it with what was known before it began. Returns its number of results. */
  async function verify(file: string, before: Known): Promise<{ results: number; slots: number }> {
    const dir = mkdtempSync(join(tmpdir(), 'farwatch-restored-'));
    await restore({ dataDir: dir, mongoUrl: null }, file, VERSION);
    const store = await startEmbeddedMongo({ dir: join(dir, 'mongo'), port: 0 });
    const client = await MongoClient.connect(store.url);
    try {
      const ledger = await readLedger(store.url);
      expect(ledger.holes, 'I1: missing numbers in lanes').toEqual([]);
      const lost = [...before.ledger.ends].filter(([lane, end]) => end > (ledger.ends.get(lane) ?? 0));
      expect(lost, 'I1: lanes that end before what was stored').toEqual([]);
      const faults = [...on.load.monitors].map(
        ([id, { intervalMs }]) => slotFaults(ledger.byMonitor.get(id) ?? [], intervalMs),
      );
      expect(faults.flatMap(({ doubled }) => doubled), 'I2: slots with two results').toEqual([]);
      expect(faults.flatMap(({ unexplained }) => unexplained), 'I3: slots without a result').toEqual([]);
      const incidents = client.db('farwatch').collection<StoredIncident>('incidents');
      const stored = await incidents.find({ check_id: { $in: on.load.ids } }).toArray();
      const now = await on.load.incidents();
      const statusOf = new Map(stored.map(({ _id, status }) => [_id, status]));
      const missing = before.incidents.filter(({ id, status }) =>
        !statusOf.has(id) || (status === 'resolved' && statusOf.get(id) !== 'resolved'));
      expect(missing, 'I4: incidents that were there before').toEqual([]);
      expect(now.map(({ id }) => id), 'I4: no others').toEqual(expect.arrayContaining([...statusOf.keys()]));
      return { results: ledger.results, slots: faults.reduce((sum, { due }) => sum + due, 0) };
    } finally {
      await client.close();
      await store.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  }

  fault('F64', 'the data is backed up under load, during outages, and the backup is killed at random moments', async () => {
    const kills = repeats(1, 20);
    const random = randomOf(SEED);
    const dir = mkdtempSync(join(tmpdir(), 'farwatch-backups-'));
    await on.load.steady(MONITORS, 'backup', FAR);
    const path = '/backup/outage';
    const id = await on.load.createMonitor(path, { ...FAR, confirmation_policy: { retries: 0 } });
    const alerts = () => on.load.alertsOf(id).length;
    await until(async () => (await on.load.statusOf(id)) === 'up', { what: 'up' });
    const finished: string[] = [];
    const backUp = async (name: string, run: (args: string[]) => Promise<CommandRun>): Promise<void> => {
      const before = await known();
      const file = join(dir, name);
      const { exitCode, stderr } = await run(['backup', file]);
      expect([0, null], stderr).toContain(exitCode);
      if (exitCode === 0) expect(existsSync(file)).toBe(true);
      if (!existsSync(file)) return;
      finished.push(file);
      counts = await verify(file, before);
    };
    let counts = { results: 0, slots: 0 };
    let typicalMs = 0;
    const isWriting = () => readdirSync(dir).some((name) => name.endsWith('.partial'));
    for (let round = 0; round <= kills; round += 1) {
      on.load.target.respondWith({ status: round % 2 === 0 ? 503 : 200 }, path);
      await until(() => alerts() === round + 1, { what: 'an alert' });
      if (round > 0) {
        await backUp(`killed-${round}`, (args) => (round % 2 === 0
          ? killed(args, random() * typicalMs)
          : killed(args, random() * MAX_WRITING_MS, isWriting)));
      }
      if (round % 5 !== 0 && round !== kills) continue;
      await backUp(`whole-${round}`, async (args) => {
        const startedAt = performance.now();
        const outcome = await runCommand(args, dataDir());
        typicalMs = performance.now() - startedAt;
        return outcome;
      });
    }
    expect(readdirSync(dir).toSorted()).toEqual(finished.map((file) => basename(file)).toSorted());
    rmSync(dir, { recursive: true });
    const outages = Math.ceil((kills + 1) / 2);
    expect(await on.load.incidents()).toHaveLength(outages);
    const results = await countResults(on.load);
    return toOutcome(
      { injected: kills, results, incidents: { expected: outages, opened: outages }, seed: SEED },
      `${finished.length} finished backups; the last one has ${counts.results} results, ${counts.slots} slots`,
    );
  });

  longFault('F66', 'a backup is restored while a probe has been told that later results are stored', async () => {
    const { farwatch } = on.load;
    const [id = ''] = await on.load.steady(MONITORS, 'restore', FAR);
    const file = join(farwatch.dataDir, '..', 'older');
    expect(await runCommand(['backup', file], dataDir())).toMatchObject({ exitCode: 0 });
    const stored = await on.load.checksOf(id);
    await until(async () => (await on.load.checksOf(id)) > stored + 2, { what: 'later results are stored' });
    expect(await farwatch.end()).toBe(0);
    const former = `${farwatch.dataDir}-former`;
    renameSync(farwatch.dataDir, former);
    expect(await runCommand(['restore', file], dataDir())).toMatchObject({ exitCode: 0 });
    // The probe knows only this port.
    cpSync(join(former, 'nats/port'), join(farwatch.dataDir, 'nats/port'), { recursive: true });
    await farwatch.start();
    const restored = await until(() => on.load.checksOf(id), { what: 'the API responds' });
    await until(async () => (await on.load.checksOf(id)) > restored + 2, { what: 'results are stored again' });
    const { holes, doubled, spooled, ledger } = await on.load.settle();
    expect({ holes, doubled, spooled }).toEqual({ holes: [], doubled: 0, spooled: 0 });
    const declared = ledger.dropped.get('trimmed') ?? 0;
    expect(declared).toBeGreaterThan(0);
    expect(await on.load.incidents()).toEqual([]);
    return `1 injected; the probe declares ${declared} results that only the former database had`;
  });

  fault('F65', 'the installation is moved to another database while a probe checks', async () => {
    const { farwatch } = on.load;
    const random = randomOf(SEED);
    const ids = await on.load.steady(MONITORS, 'move', FAR);
    const [pausedId = '', firstId = ''] = ids;
    await on.load.session.ok('POST', '/api/monitors/bulk', { action: 'pause', monitor_ids: [pausedId] });
    const statistics = () => on.load.session.ok('GET', `/api/monitors/${pausedId}/stats`);
    await until(async () => (await on.load.checksOf(pausedId)) >= on.load.countOf(pausedId), { what: 'all are stored' });
    const before = await statistics();
    expect(await farwatch.end()).toBe(0);
    const checked = on.load.countOf(firstId);
    const target = await startEmbeddedMongo({ dir: join(farwatch.dataDir, 'target'), port: 0 });
    on.servers.push(target);
    const move = ['move', '--to', target.url];
    let outcome = await killed(move, random() * 2000);
    const wasKilled = outcome.exitCode === null;
    if (wasKilled) outcome = await runCommand(move, dataDir());
    // The kill may come after the last write.
    const isMoved = wasKilled && outcome.stderr.includes('was moved to another database');
    if (!isMoved) expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    // What is left behind is not the installation any more.
    const backup = await runCommand(['backup', join(farwatch.dataDir, 'backup')], dataDir());
    expect(backup).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('was moved to another database') });
    await expect(farwatch.start()).rejects.toThrow('was moved to another database: set MONGODB_URL');
    await until(() => on.load.countOf(firstId) > checked + 1, { what: 'checks continue' });
    await farwatch.start({ MONGODB_URL: target.url });
    on.load.store = { url: target.url, database: 'farwatch' };
    expect(await until(statistics, { what: 'statistics' })).toEqual(before);
    const results = await countResults(on.load);
    return toOutcome({ injected: 1, results, seed: SEED });
  });
}
