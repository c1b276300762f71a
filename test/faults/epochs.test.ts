import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { shardName } from '../../shared/ids.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { checked, post } from './sender.ts';
import { repeats, toOutcome } from './tally.ts';
import { shardMap } from '../helpers/shard-map.ts';

/** More entries than the maximum lag of a snapshot. */
const ROUNDS = 70;
/** As docs/reliability.md states it. */
const LANES_PER_PROBE = 64;
/** The honest probe continues in this many alternating epochs. */
const HONEST_EPOCHS = 5;

interface Doc {
  _id: string;
  position?: number;
  lanes?: { lane: string }[];
}

let rig: ControllerRig;
let client: MongoClient;
let attacker: ApiSession;
let hostile: TestProbe;
let honest: TestProbe;
beforeEach(async () => {
  rig = await startControllerRig({ REGISTRATION: 'open' });
  client = await MongoClient.connect(rig.store.url);
  attacker = await new ApiSession(rig.controller.url).begin('attacker@example.com');
  await client.db().collection('users').updateMany({}, { $set: { email_verified: true } });
  await attacker.ok('POST', '/api/regions', { id: 'theirs', name: 'Theirs', city: 'There', country: 'FR' });
  hostile = await rig.probe('hostile', { session: attacker, region: 'theirs' });
  honest = await rig.probe('honest');
});
afterEach(async () => {
  await client.close();
  await rig.stop();
});

async function createMonitor(session: ApiSession, regions: string[]): Promise<string> {
  const body = {
    name: 'Shop', type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60,
    monitoring_regions: regions, confirmation_policy: { retries: 0 },
  };
  const { monitor } = await session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', body);
  await until(async () => (await client.db().collection<{ _id: string; unjournaled?: number }>(
    'monitors',
  ).findOne({ _id: monitor.id }))?.unjournaled === undefined, { what: 'the owner knows it' });
  return monitor.id;
}

/** Sends this many epochs with one batch each, without waiting for responses. */
function openEpochs(shard: number, from: number, count: number): void {
  const { region_id, probe_id } = hostile.enrolment as { region_id: string; probe_id: string };
  for (let at = from; at < from + count; at += 1) {
    const bytes = encodeBatch({
      epoch: `${at}`.padStart(64, 'x'), engine: 'test', first: 1, last: 1, results: [],
      dropped: [{ first: 1, last: 1, reason: 'trimmed' }],
    });
    hostile.nats.publish(subjects.results(shard, region_id, probe_id), bytes);
  }
}

async function snapshotOf(shard: number): Promise<Doc | null> {
  return client.db().collection<Doc>('snapshots').findOne({ _id: shardName(shard) });
}

async function lanesOf(shard: number): Promise<number> {
  const docs = await client.db().collection<Doc>('snapshots').find({}).toArray();
  return docs.filter(({ _id }) => _id.startsWith(shardName(shard))).flatMap(({ lanes = [] }) => lanes).length;
}

async function droppedLanes(): Promise<number> {
  const text = await (await fetch(`${rig.controller.url}/metrics`)).text();
  return Number(/^farwatch_lanes_dropped_total (\d+)/m.exec(text)?.[1] ?? 0);
}

fault('F51', 'a probe begins thousands of epochs in two shards, one of which has another tenant\'s monitor', async () => {
  const victimMonitor = await createMonitor(rig.session, ['local']);
  let own = await createMonitor(attacker, ['theirs']);
  while (shardMap.of(own) === shardMap.of(victimMonitor)) own = await createMonitor(attacker, ['theirs']);
  const [busy, quiet] = [shardMap.of(victimMonitor), shardMap.of(own)];
  const each = repeats(40, 1500);
  let checks = 0;
  const check = async (isUp = true): Promise<void> => {
    const last = Math.floor(checks / HONEST_EPOCHS) + 1;
    const bytes = encodeBatch({
      epoch: `honest-${checks % HONEST_EPOCHS}`, engine: 'test', first: last, last, dropped: [],
      results: [{ ...checked(victimMonitor, Date.now(), isUp), seq: last }],
    });
    const letter = { probe: honest, shard: busy, index: 0, last, bytes };
    await until(async () => (await post(letter, 10_000)) === last, { what: 'a response' });
    checks += 1;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    openEpochs(busy, round * each, each);
    openEpochs(quiet, round * each, each);
    await hostile.nats.flush();
    // A changed monitor makes its shard write an entry at once.
    await attacker.ok('PATCH', `/api/monitors/${own}`, { name: `Shop ${round}` });
    await check();
  }
  // The snapshot of the shard whose hour is fully written moves, and contains few lanes; so do its documents.
  await until(async () => ((await snapshotOf(quiet))?.position ?? 0) > 0, {
    what: 'the snapshot moves', timeoutMs: 240_000,
  });
  expect(await lanesOf(quiet)).toBeLessThanOrEqual(LANES_PER_PROBE);
  expect(await droppedLanes()).toBeGreaterThan(1000);
  const letters = await client.db().collection('dead_letters').find({ reason: 'too_many_epochs' }).toArray();
  expect(new Set(letters.map((letter) => letter['probe_id'] as string))).toEqual(new Set([hostile.enrolment?.probe_id]));

  await check(false);
  const opened = async () => (await rig.session.ok<{ incidents: { check_id: string }[] }>(
    'GET', '/api/incidents',
  )).incidents.filter((incident) => incident.check_id === victimMonitor).length;
  await until(async () => (await opened()) === 1, { what: 'an outage after the attack is an incident' });
  await rig.restart(() => Promise.resolve());
  await check();
  await check();
  const { total_checks: total } = await rig.session.ok<{ total_checks: number }>(
    'GET', `/api/monitors/${victimMonitor}/stats`,
  );
  expect(total).toBe(checks);
  return toOutcome({
    injected: 2 * ROUNDS * each, results: { issued: checks, stored: total, lost: 0, duplicated: 0 },
    incidents: { expected: 1, opened: await opened() },
  }, `${letters.length} letters`);
});
