import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { programFile } from '../bundle.mjs';
import type { Loose } from '../helpers/api-client.ts';
import { ControllerProcess } from '../helpers/controller-process.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { passTime } from '../helpers/pass-time.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { configOf, resultOf } from '../unit/results/build.ts';
import { shardMap } from '../helpers/shard-map.ts';

const MONITORS = 12;
const CHECKS = 40;
/** Monitors whose own pages are requested; the list has all of them. */
const POLLED_MONITORS = 3;
/** Between two polls, so that they do not slow down what they watch. */
const PAUSE_MS = fewOrAll(200, 50);

/** Both share a store and NATS: one in this process, one in a separate process. */
let rig: ControllerRig;
let second: ControllerProcess | null = null;
let secondUrl: string;
let bundle: string;
let probe: TestProbe;
let key: string;
const ids: string[] = [];
const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-second-'));

beforeAll(async () => {
  [rig, bundle] = await Promise.all([startControllerRig(), programFile('controller')]);
  key = (await rig.session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'reader' })).key;
  probe = await rig.probe('one');
  probe.beat();
  await probe.follow();
  for (let number = 0; number < MONITORS; number += 1) {
    const body = { name: `m${number}`, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60 };
    const { monitor } = await rig.session.ok<Loose>('POST', '/api/monitors', body);
    ids.push(monitor.id);
  }
  await until(() => ids.every((id) => probe.held.has(id)), { what: 'the probe has all monitors' });
  await report();
  await until(async () => {
    const { data: { monitors } } = (await get(rig.controller.url, '/api/monitors')).body;
    return monitors.every(({ stats }: Loose) => stats?.totalChecks === CHECKS);
  }, { what: 'all results are counted' });
  const port = await freePort();
  secondUrl = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await second?.kill9();
  await rig?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** All results of a shard's monitors, in one lane. */
async function report(): Promise<void> {
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  const since = Date.now() - CHECKS * 1000;
  for (const shard of new Set(ids.map(shardMap.of))) {
    const results = ids.filter((id) => shardMap.of(id) === shard).flatMap((monitor_id) =>
      Array.from({ length: CHECKS }, (_, at) => ({ monitor_id, at: since + at * 1000 })));
    for (let first = 1; first <= results.length; first += CHECKS) {
      const part = results.slice(first - 1, first - 1 + CHECKS);
      const numbered = part.map(({ monitor_id, at }, index) => resultOf(
        configOf({ monitor_id }),
        { seq: first + index, assignment_rev: 1, started_at: at, scheduled_at: at },
      ));
      const last = first + part.length - 1;
      const bytes = encodeBatch({ epoch: 'e', engine: 'test', first, last, results: numbered, dropped: [] });
      await probe.nats.request(subjects.results(shard, region_id, probe_id), bytes, { timeout: 60_000 });
    }
  }
}

const startSecond = async (): Promise<void> => {
  const { nats, store } = rig;
  second = await ControllerProcess.start(bundle, {
    PORT: new URL(secondUrl).port, DATA_DIR: dataDir, MONGODB_URL: store.url, NATS_URL: nats.url,
    NATS_CREDS: nats.controllerCreds, NATS_USERS_FILE: nats.usersFile, NATS_PID_FILE: nats.pidFile,
    NATS_PUBLIC_URL: nats.url, RATE_LIMIT: '1000000', MIN_INTERVAL_SECONDS: '1', LOG_LEVEL: 'info',
  });
};

async function get(url: string, path: string): Promise<{ status: number; body: Loose }> {
  const response = await fetch(url + path, { headers: { 'x-api-key': key } });
  return { status: response.status, body: await response.json() as Loose };
}

const isReady = async (url: string) => (await get(url, '/readyz')).status === 200;

/** Shards that a controller has loaded. */
async function inHand(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^farwatch_shards_in_hand (\d+)$/m.exec(text)?.[1]);
}

type Seen = Set<number | 'unavailable'>;

interface Poller {
  polls(): number;
  /** True if some count was unavailable. */
  hasMissed(): boolean;
  end(): Promise<Map<string, Seen>>;
}

/** Polls a controller for every count until `end`, which returns the counts seen by path. */
function pollNumbers(url: () => string): Poller {
  const seen = new Map<string, Seen>();
  let [polls, isOver] = [0, false];
  const numbersByPath: Record<string, (body: Loose) => number[]> = {
    '/api/monitors': ({ data }) => data.monitors.map(({ stats }: Loose) => stats?.totalChecks ?? 0),
  };
  for (const id of ids.slice(0, POLLED_MONITORS)) {
    numbersByPath[`/api/monitors/${id}/stats`] = ({ data, error }) =>
      [error?.code === 'STATS_NOT_FOUND' ? 0 : data.total_checks];
    numbersByPath[`/api/monitors/${id}/results?limit=100`] = ({ data }) => [data.results.length];
    numbersByPath[`/api/monitors/${id}/response-times?period=7d`] = ({ data }) =>
      [data.series[0]?.points.reduce((sum: number, { count }: Loose) => sum + count, 0) ?? 0];
  }
  for (const path of Object.keys(numbersByPath)) seen.set(path, new Set());
  const polling = (async () => {
    while (!isOver) {
      await Promise.all(Object.entries(numbersByPath).map(async ([path, numbersOf]) => {
        // A controller that is not running does not respond at all.
        const response = await get(url(), path).catch(() => null);
        if (response?.status === 503) seen.get(path)?.add('unavailable');
        else if (response) for (const number of numbersOf(response.body)) seen.get(path)?.add(number);
      }));
      polls += 1;
      await passTime(PAUSE_MS);
    }
  })();
  return {
    polls: () => polls,
    hasMissed: () => [...seen.values()].some((numbers) => numbers.has('unavailable')),
    end: async () => {
      isOver = true;
      await polling;
      return seen;
    },
  };
}

/** Expects that every count was seen and never changed, though it may have been unavailable for a while. */
function expectRight(seen: Map<string, Seen>): void {
  for (const [path, numbers] of seen) {
    expect([...numbers].filter((number) => number !== 'unavailable'), path).toEqual([CHECKS]);
  }
}

/** Prevents the takeover of dead controllers' leases until `holds`. */
async function whileRenewed(holds: () => boolean): Promise<void> {
  const client = await MongoClient.connect(rig.store.url);
  const leases = client.db().collection<{ holder: string; renewed_at: number }>('leases');
  await until(async () => {
    await leases.updateMany({}, { $inc: { renewed_at: 1 } });
    return holds();
  }, { what: 'a count is unavailable', everyMs: 500 });
  await client.close();
}

test('a controller that joins others is ready once it has loaded its share of the shards', async () => {
  await until(() => isReady(rig.controller.url), { what: 'the first is ready' });
  expect(await inHand(rig.controller.url)).toBe(16);
  await startSecond();
  const poller = pollNumbers(() => secondUrl);
  await until(() => isReady(secondUrl), { what: 'the second is ready' });
  // On a busy machine, either may renew its leases late, and the other takes them for a while.
  expect(await inHand(secondUrl)).toBeGreaterThanOrEqual(8);
  const inHands = async () => [await inHand(rig.controller.url), await inHand(secondUrl)];
  await until(async () => (await inHands()).every((count) => count === 8), { what: 'each has its share' });
  expectRight(await poller.end());
});

test('no count is smaller after a controller was killed, while its shards have no owner', async () => {
  const poller = pollNumbers(() => rig.controller.url);
  await until(() => poller.polls() > 0, { what: 'a first poll' });
  await second?.kill9();
  second = null;
  await whileRenewed(() => poller.hasMissed());
  await until(async () => (await inHand(rig.controller.url)) === 16, { what: 'a takeover' });
  const after = poller.polls();
  await until(() => poller.polls() > after + 1, { what: 'a poll after it' });
  expectRight(await poller.end());
});

test('no count is smaller while a controller restarts, with or without a peer', async () => {
  const poller = pollNumbers(() => rig.controller.url);
  await rig.restart(async () => undefined);
  await until(() => isReady(rig.controller.url), { what: 'it is ready again' });
  await startSecond();
  await until(() => isReady(secondUrl), { what: 'the second is ready' });
  const other = pollNumbers(() => secondUrl);
  await rig.restart(async () => undefined);
  await until(() => isReady(rig.controller.url), { what: 'it is ready once more' });
  const after = [poller.polls(), other.polls()] as const;
  await until(() => poller.polls() > after[0] + 1 && other.polls() > after[1] + 1, { what: 'a last poll' });
  expectRight(await poller.end());
  expectRight(await other.end());
});
