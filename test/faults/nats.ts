import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { bundleFile } from '../bundle.mjs';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { Subscriber, type IssuedSubscription } from '../helpers/subscriber.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import type { Load } from './load.ts';
import { countResults, repeats, SEED, toOutcome } from './tally.ts';

const MONITORS = repeats(10, 60);

/** NATS is killed, loses its data, and has a stalled reader or a full disk. */
export function natsFaults(on: { readonly load: Load }): void {
  let issued: IssuedSubscription;
  let storeDir: string;

  beforeAll(async () => {
    issued = await on.load.session.ok('POST', '/api/subscriptions', { name: 'Archive' });
    storeDir = join(on.load.farwatch.dataDir, 'nats', 'store');
  });

  /** Resolves when new results are stored, while checks continue. */
  async function isStoredAgain(id: string): Promise<void> {
    const [checked, stored] = [on.load.countOf(id), await on.load.checksOf(id)];
    await until(async () => (await on.load.checksOf(id)) > stored, { what: 'results are stored' });
    await until(() => on.load.countOf(id) > checked, { what: 'checks continue' });
  }

  /** Kills the server; resolves to the ms until results are stored again. `meanwhile` runs before the restart. */
  async function killServer(firstId: string, meanwhile = () => {}): Promise<number> {
    const killed = await on.load.farwatch.kill9('nats-server');
    meanwhile();
    await on.load.farwatch.replaced('nats-server', killed);
    const startedAt = performance.now();
    await isStoredAgain(firstId);
    return performance.now() - startedAt;
  }

  /** An outage of a target that begins before `work` and ends after it; returns its incidents and alerts. */
  async function duringOutage(path: string, work: () => Promise<void>) {
    const id = await on.load.createMonitor(path);
    await until(async () => (await on.load.statusOf(id)) === 'up', { what: 'up' });
    on.load.target.respondWith({ status: 503 }, path);
    await until(() => on.load.alertsOf(id).length > 0, { what: 'monitor.down' });
    await work();
    on.load.target.respondWith({ status: 200 }, path);
    await until(() => on.load.alertsOf(id).length > 1, { what: 'monitor.up' });
    expect(on.load.alertsOf(id).map(({ event }) => event)).toEqual(['monitor.down', 'monitor.up']);
    expect((await on.load.incidents()).map((incident) => incident.check_id)).toEqual([id]);
    return { incidents: { expected: 1, opened: 1 }, alerts: { expected: 2, delivered: 2, repeated: 0 } };
  }

  /** Waits until the subscriber's consumer of RAW holds results that were checked after `since`. */
  async function rawHolds(since: number): Promise<void> {
    await until(async () => {
      const subscriber = await Subscriber.connect(issued);
      try {
        const results = (await subscriber.fetch(100)).map((text) => JSON.parse(text) as { started_at: number });
        return results.some(({ started_at: at }) => at > since);
      } finally {
        await subscriber.nc.close();
      }
    }, { what: 'RAW holds new results' });
  }

  fault('F5', 'nats-server is killed at random moments under load', async () => {
    const kills = repeats(1, 10);
    const random = randomOf(SEED);
    const [firstId = ''] = await on.load.steady(MONITORS, 'killed');
    const recoveryMs: number[] = [];
    const outage = await duringOutage('/during-kills', async () => {
      for (let round = 0; round < kills; round += 1) {
        await passTime(random() * 1500);
        recoveryMs.push(await killServer(firstId));
      }
    });
    return toOutcome({ injected: kills, results: await countResults(on.load), ...outage, recoveryMs, seed: SEED });
  });

  fault('F8', 'NATS loses all its data', async () => {
    const wipes = repeats(1, 5);
    const [firstId = ''] = await on.load.steady(MONITORS, 'wiped');
    const recoveryMs: number[] = [];
    await rawHolds(0);
    for (let round = 0; round < wipes; round += 1) {
      const wipe = () => rmSync(storeDir, { recursive: true, force: true });
      recoveryMs.push(await killServer(firstId, wipe));
      await rawHolds(Date.now());
    }
    const results = await countResults(on.load);
    expect(await on.load.incidents()).toEqual([]);
    return toOutcome({ injected: wipes, results, incidents: { expected: 0, opened: 0 }, recoveryMs },
      `RAW made again ${wipes} of ${wipes} times`);
  });

  async function serverSockets(): Promise<number> {
    const folder = `/proc/${await on.load.farwatch.pid('nats-server')}/fd`;
    return readdirSync(folder).filter((name) => {
      try {
        return readlinkSync(join(folder, name)).startsWith('socket:');
      } catch {
        return false;
      }
    }).length;
  }

  fault('F21', 'a subscriber with 500 subscriptions stops reading', async () => {
    const [firstId = ''] = await on.load.steady(MONITORS, 'stalled');
    const file = join(on.load.farwatch.dataDir, 'credential.json');
    writeFileSync(file, JSON.stringify(await on.load.session.ok('POST', '/api/subscriptions', { name: 'Stalling' })));
    const reading = await Subscriber.connect(issued);
    await reading.listen();
    const program = await bundleFile('test/faults/stalling-subscriber.ts');
    const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('the stalling subscriber has ended')));
    try {
      await Promise.race([once(child.stdout, 'data'), ended]);
      const [openSockets, logLength] = [await serverSockets(), on.load.farwatch.log().length];
      child.kill('SIGSTOP');
      await until(async () => (await serverSockets()) < openSockets, { what: 'the server disconnects the stopped reader' });
      const receivedCount = reading.received.length;
      await isStoredAgain(firstId);
      await until(() => reading.received.length > receivedCount, { what: 'the other one continues to read' });
      expect(await serverSockets()).toBe(openSockets - 1);
      expect(on.load.farwatch.log().slice(logLength)).not.toMatch(/bus disconnected|NATS link down/);
    } finally {
      ended.catch(() => undefined);
      child.kill('SIGKILL');
      rmSync(program);
      await reading.nc.close();
    }
    const results = await countResults(on.load);
    expect(await on.load.incidents()).toEqual([]);
    return toOutcome({ injected: 1, results, incidents: { expected: 0, opened: 0 } }, '1 connection dropped, its own');
  });

  describe.runIf(process.getuid?.() === 0)('on a small separate file system', () => {
    const isMounted = () => readFileSync('/proc/mounts', 'utf8').includes(` ${storeDir} `);
    afterAll(() => {
      if (isMounted()) execFileSync('umount', ['-l', storeDir]);
    });

    fault('F19', 'the disk of NATS is full, and has space again', async () => {
      const [firstId = ''] = await on.load.steady(MONITORS, 'full');
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', storeDir]);
      await killServer(firstId);
      await rawHolds(Date.now());
      const before = on.load.farwatch.log().length;
      const ballast = join(storeDir, 'ballast');
      expect(() => writeFileSync(ballast, Buffer.alloc(4_000_000))).toThrow('ENOSPC');
      const named = () => /JetStream.* stream 'CONTROL > RAW'.* no space left/.test(on.load.farwatch.log().slice(before));
      await until(named, { what: 'the log names RAW and why it fails' });
      const outage = await duringOutage('/during-full-disk', () => isStoredAgain(firstId));
      rmSync(ballast);
      await rawHolds(Date.now());
      return toOutcome({ injected: 1, results: await countResults(on.load), ...outage }, 'named in the log');
    });
  });
}
