import type { Document } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunningController } from '../../controller/controller.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { readLedger } from '../helpers/ledger.ts';
import { passTime } from '../helpers/pass-time.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { ReplicaSet } from '../helpers/replica-set.ts';
import { settled } from '../helpers/settled.ts';
import { shardMap } from '../helpers/shard-map.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';
import { checked, post } from './sender.ts';

const MONITORS = 8;
/** An alert is held no longer than this after an election. */
const MAX_HELD_MS = 5000;
const STEP_MS = 500;
const REAL_STEP_MS = 200;
const FAULTY_COMMANDS = fewOrAll(8, 40);
const ANY_WRITE = /^(insert|update|delete|findandmodify)/;

const clock = new WarpClock();
let [set, rig, mongo, hook, probe] = [] as unknown as [ReplicaSet, ControllerRig, Mongo, Receiver, TestProbe];
let beats: NodeJS.Timeout;
/** Shards that the three controllers have loaded. */
let loads = 0;
/** Numbers sent in the lane of each shard. */
const lanes = new Map<number, number>();
/** Accepted results by monitor. */
const accepted = new Map<string, number>();
/** Monitors that fail. */
const down = new Set<string>();
/** What must be the same after each test. */
let before: { loads: number; owners: unknown };

beforeAll(async () => {
  [set, hook] = await Promise.all([ReplicaSet.start(), startReceiver()]);
  const onCommand = (command: Document): void => {
    if (command['find'] === 'journal' && command['sort']) loads += 1;
  };
  rig = await startControllerRig({ ALLOW_PRIVATE_DESTINATIONS: 'true' }, onCommand, undefined, { clock, store: set });
  const controllers: RunningController[] = [rig.controller, await rig.another(), await rig.another()];
  mongo = checkedMongo(set.url);
  await rig.session.ok('POST', '/api/integrations', {
    name: 'Hook', type: 'webhook', is_default: true, config: { url: hook.url, method: 'POST' },
  });
  probe = await rig.probe('only');
  beats = setInterval(() => probe.beat({ sent_at: clock.now() }), 250);
  await probe.follow();
  for (let number = 0; number < MONITORS; number += 1) {
    const { monitor: { id } } = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: `m${number}`, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60,
      confirmation_policy: { regions: 'any', retries: 0 },
    });
    accepted.set(id, 0);
  }
  await until(() => [...accepted.keys()].every((id) => probe.held.has(id)), { what: 'the probe has all monitors' });
  await until(areShared, { what: 'each controller has its share of the shards' });
  await Promise.all(controllers.map(({ url }) => until(
    async () => (await fetch(`${url}/readyz`)).status === 200, { what: 'a controller is ready' },
  )));
});
beforeEach(async () => {
  await report();
  before = { loads, owners: await owners() };
});
afterEach(() => {
  clock.thaw();
  set.heal();
});
afterAll(async () => {
  clearInterval(beats);
  await mongo?.close();
  await rig?.stop();
  await hook?.close();
});

async function owners(): Promise<{ _id: string; holder: string }[]> {
  const leases = mongo.db.collection<{ _id: string; holder: string }>('leases');
  const found = await leases.find({}, { projection: { holder: 1 } }).sort({ _id: 1 }).toArray();
  return found.filter(({ _id }) => /^\d+$/.test(_id));
}

/** Whether no shard will move to another of the three controllers. */
async function areShared(): Promise<boolean> {
  const holders = (await owners()).map(({ holder }) => holder);
  const shares = [...new Set(holders)].map((one) => holders.filter((holder) => holder === one).length);
  return holders.length === shardMap.count && shares.length === 3 && Math.max(...shares) <= Math.ceil(shardMap.count / 3);
}

/** Sends a result of each monitor until all are accepted. */
async function report(): Promise<void> {
  const at = clock.now();
  const ids = [...accepted.keys()];
  await Promise.all([...new Set(ids.map(shardMap.of))].map(async (shard) => {
    const first = (lanes.get(shard) ?? 0) + 1;
    const results = ids.filter((id) => shardMap.of(id) === shard)
      .map((id, index) => ({ ...checked(id, at, !down.has(id)), seq: first + index }));
    const last = first + results.length - 1;
    const bytes = encodeBatch({ epoch: 'e', engine: 'test', first, last, results, dropped: [] });
    const letter = { probe, shard, index: 0, last, bytes };
    await until(async () => (await post(letter, 2000)) === last, { what: 'results are accepted' });
    lanes.set(shard, last);
    for (const { monitor_id: id } of results) accepted.set(id, (accepted.get(id) ?? 0) + 1);
  }));
}

const alertsOf = (monitorId: string): string[] => hook.requests
  .map(({ body }) => JSON.parse(body.toString('utf8')) as { event: string; monitor: { id: string } })
  .filter(({ monitor }) => monitor.id === monitorId).map(({ event }) => event);

/** Changes the outcome of a monitor's checks. Returns its id, and its alerts after that. */
function change(): { id: string; expected: string[] } {
  const [id] = [...accepted.keys()].sort((one, other) => alertsOf(one).length - alertsOf(other).length) as [string];
  const expected = [...alertsOf(id), down.has(id) ? 'monitor.up' : 'monitor.down'];
  if (!down.delete(id)) down.add(id);
  return { id, expected };
}

/** Expects that an alert needs no timer that is due later. The clock must be frozen. */
async function expectAlertInTime({ id, expected }: { id: string; expected: string[] }): Promise<void> {
  const isAlerted = () => alertsOf(id).length >= expected.length;
  for (let passedMs = 0; passedMs < MAX_HELD_MS && !isAlerted(); passedMs += STEP_MS) {
    clock.warp(STEP_MS);
    await settled(mongo, rig.commands);
    // For messages on the bus, and the alert.
    await passTime(REAL_STEP_MS);
  }
  await until(isAlerted, { what: 'the alert', timeoutMs: 60_000 });
  expect(alertsOf(id)).toEqual(expected);
}

/** Expects that each accepted result is stored and counted once, and that every shard was loaded once. */
async function expectNothingLost(): Promise<void> {
  const { byMonitor, holes } = await readLedger(set.url, set.database);
  expect(holes).toEqual([]);
  expect(new Map([...byMonitor].map(([id, results]) => [id, results.length]))).toEqual(accepted);
  const { monitors } = await rig.session.ok<{ monitors: { id: string; stats: { totalChecks: number } }[] }>(
    'GET', '/api/monitors?limit=100',
  );
  expect(new Map(monitors.map(({ id, stats }) => [id, stats.totalChecks]))).toEqual(accepted);
  expect({ loads, owners: await owners() }).toEqual(before);
}

/** Faults that end by themselves, each with what injects it. */
const FAULTS: [string, () => Promise<unknown> | void][] = [
  ['the primary steps down after it wrote results', async () => {
    await set.stepDownDuring(/^insert journal/);
    set.elect(1);
  }],
  ['the primary steps down after it wrote a state', async () => {
    await set.stepDownDuring(/^update monitor_states/);
    set.elect(2);
  }],
  ['a stale primary refuses writes', () => set.leaveStalePrimary()],
  ['a majority confirms no write in time', () => set.fail(ANY_WRITE, { writeConcernCode: 64 }, FAULTY_COMMANDS)],
  ['connections break and cursors are gone', () => {
    for (const member of set.members) {
      member.killCursors();
      member.reset();
    }
  }],
  ...fewOrAll([91, 112], [91, 112, 189, 262, 11602, 13435]).flatMap((code): typeof FAULTS => [
    [`writes fail with ${code} after they took effect`, () => set.fail(ANY_WRITE, { code, isApplied: true }, FAULTY_COMMANDS)],
    [`writes fail with ${code}`, () => set.fail(ANY_WRITE, { code }, FAULTY_COMMANDS)],
  ]),
];

test.each(FAULTS)('no result is lost and one alert is sent if %s', async (_what, inject) => {
  const changed = change();
  const injected = inject();
  await report();
  await injected;
  await until(() => set.pendingFaults === 0, { what: 'the faults have happened' });
  await report();
  await until(() => alertsOf(changed.id).length >= changed.expected.length, { what: 'the alert' });
  await expectNothingLost();
  expect(alertsOf(changed.id)).toEqual(changed.expected);
});

test.each(fewOrAll([15], [5, 15, 30]))('after %i s without a primary, results and alerts continue at once', async (seconds) => {
  set.stepDown();
  const changed = change();
  const reported = report();
  await passTime(seconds * 1000);
  clock.freeze();
  set.elect(1);
  await expectAlertInTime(changed);
  clock.thaw();
  await reported;
  await expectNothingLost();
});

const CLAIM = /^findandmodify deliveries/;
test.each<[string, () => Promise<void> | void]>([
  ['its claim is not confirmed by a majority', () => set.fail(CLAIM, { writeConcernCode: 64 })],
  ['its claim is interrupted', () => set.fail(CLAIM, { code: 11602, isApplied: true })],
  ['its destination cannot be read after the claim', () =>
    set.onceApplied(CLAIM, () => set.fail(/^find destinations/, { connection: 'reset' }))],
  ['its queue cannot be read', () => set.fail(/^find deliveries/, { code: 189 })],
])('an alert is sent at once even if %s', async (_what, inject) => {
  const changed = change();
  const injected = inject();
  await report();
  await injected;
  await until(() => set.pendingFaults === 0, { what: 'the fault has happened', everyMs: 1 });
  clock.freeze();
  await expectAlertInTime(changed);
});
