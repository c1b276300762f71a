import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Document } from 'mongodb';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import type { RunningController } from '../../controller/controller.ts';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { shardOf } from '../../shared/ids.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { readLedger } from '../helpers/ledger.ts';
import { passTime } from '../helpers/pass-time.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { ReplicaSet } from '../helpers/replica-set.ts';
import { settled } from '../helpers/settled.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';
import { checked, post } from './sender.ts';

const MONITORS = 12;

let [set, rig, mongo, hook, clock, probe] = [] as unknown as [ReplicaSet, ControllerRig, Mongo, Receiver, WarpClock, TestProbe];
let controllers: RunningController[];
let beats: NodeJS.Timeout;
const ids: string[] = [];
/** Shards that controllers have loaded. */
let loads = 0;

beforeAll(async () => {
  clock = new WarpClock();
  [set, hook] = await Promise.all([ReplicaSet.start(), startReceiver()]);
  const onCommand = (command: Document): void => {
    if (command['find'] === 'journal' && command['sort']) loads += 1;
  };
  rig = await startControllerRig({ ALLOW_PRIVATE_DESTINATIONS: 'true' }, onCommand, undefined, { clock, store: set });
  controllers = [rig.controller, await rig.another(), await rig.another()];
  mongo = checkedMongo(set.url);
  await rig.session.ok('POST', '/api/integrations', {
    name: 'Hook', type: 'webhook', is_default: true, config: { url: hook.url, method: 'POST' },
  });
  probe = await rig.probe('only');
  beats = setInterval(() => probe.beat({ sent_at: clock.now() }), 250);
  await probe.follow();
  while (ids.length < MONITORS) {
    const { monitor: { id } } = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: `m${ids.length}`, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60,
      confirmation_policy: { regions: 'any', retries: 0 },
    });
    ids.push(id);
  }
  await until(() => ids.every((id) => probe.held.has(id)), { what: 'the probe has all monitors' });
  await areReady();
});
afterAll(async () => {
  clearInterval(beats);
  await mongo?.close();
  await rig?.stop();
  await hook?.close();
});

const areReady = () => Promise.all(controllers.map(({ url }) => until(
  async () => (await fetch(`${url}/readyz`)).status === 200, { what: 'a controller is ready' },
)));

/** Numbers sent in each shard's lane, results sent by monitor, and monitors that fail. */
const [lanes, sent, down] = [new Map<number, number>(), new Map<string, number>(), new Set<string>()];

/** Sends a result of each monitor until all are acknowledged. */
async function report(): Promise<void> {
  const at = clock.now();
  await Promise.all([...new Set(ids.map(shardOf))].map(async (shard) => {
    const first = (lanes.get(shard) ?? 0) + 1;
    const results = ids.filter((id) => shardOf(id) === shard).map((id, index) =>
      ({ ...checked(id, at, !down.has(id)), seq: first + index }));
    const last = first + results.length - 1;
    const bytes = encodeBatch({ epoch: 'e', engine: 'test', first, last, results, dropped: [] });
    await until(async () => (await post({ probe, shard, index: 0, last, bytes }, 2000)) === last, { what: 'results are accepted' });
    lanes.set(shard, last);
    for (const { monitor_id: id } of results) sent.set(id, (sent.get(id) ?? 0) + 1);
  }));
}

function load(): { end(): Promise<void> } {
  let isOver = false;
  const sending = (async () => {
    while (!isOver) {
      await report();
      await passTime(100);
    }
  })();
  return {
    end: () => {
      isOver = true;
      return sending;
    },
  };
}

/** Expects that each accepted result is stored and counted once. */
async function expectAllCounted(): Promise<void> {
  const { byMonitor, holes } = await readLedger(set.url, set.database);
  expect(holes).toEqual([]);
  expect(new Map([...byMonitor].map(([id, results]) => [id, results.length]))).toEqual(sent);
  const shown = async () => {
    const { monitors } = await rig.session.ok<any>('GET', '/api/monitors?limit=100');
    return monitors.map((m: any) => [m.id, m.stats?.totalChecks]);
  };
  expect(new Map(await shown())).toEqual(sent);
}

const alerts = (id: string) => hook.requests
  .map(({ body }) => JSON.parse(body.toString('utf8')) as { event: string; monitor: { id: string } })
  .filter(({ monitor }) => monitor.id === id).map(({ event }) => event);

test('explore', async () => {
  const running = load();
  await until(() => (sent.get(ids[0]!) ?? 0) > 2);
  const cases: [string, (() => Promise<unknown>)][] = [
    ['claim during step-down', async () => { await set.stepDownDuring(/^findandmodify deliveries/); await passTime(3000); set.elect(1); }],
    ['claim wtimeout', async () => { set.fail(/^findandmodify deliveries/, { writeConcernCode: 64 }); await until(() => set.pendingFaults === 0); }],
    ['claim reset', async () => { set.fail(/^findandmodify deliveries/, { connection: 'reset', isApplied: true }); await until(() => set.pendingFaults === 0); }],
    ['settle reset', async () => { set.fail(/^update deliveries/, { connection: 'reset', isApplied: true }); await until(() => set.pendingFaults === 0); }],
    ['settle not applied', async () => { set.fail(/^update deliveries/, { code: 189 }); await until(() => set.pendingFaults === 0); }],
    ['queue', async () => { await set.stepDownDuring(/^update delivery_queues/); await passTime(15000); set.elect(1); }],
    ['load fails', async () => { set.fail(/^find deliveries/, { code: 262 }, 6); await until(() => set.pendingFaults === 0); }],
    ['insert', async () => { await set.stepDownDuring(/^insert deliveries/); await passTime(3000); set.elect(1); }],
  ];
  for (const [n, [what, fault]] of cases.entries()) {
    const id = ids[n]!;
    const done = fault();
    down.add(id);
    await done;
    const t1 = performance.now();
    await until(() => alerts(id).length > 0, { what: 'alert' });
    console.log('##', what, alerts(id), 'after', Math.round(performance.now() - t1));
  }
  await running.end();
  console.log('##', ids.map((id) => alerts(id).join()).join(' '));
});
async function holders() {
  const all = await mongo.db.collection<{ _id: string; holder: string }>('leases').find({}).toArray();
  return all.filter(({ _id }) => !_id.startsWith('controller')).map(({ _id, holder }) => `${_id}=${holder.slice(0, 3)}`).join(' ');
}
