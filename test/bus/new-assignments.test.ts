import { MongoClient, type Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { batchResponse } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { newId } from '../../shared/ids.ts';
import { checked } from '../faults/sender.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { shardMap } from '../helpers/shard-map.ts';

let rig: ControllerRig;
let client: MongoClient;
let probe: TestProbe;
const collection = (name: string) => client.db().collection<Document & { _id: string }>(name);

beforeAll(async () => {
  rig = await startControllerRig();
  client = await MongoClient.connect(rig.store.url);
  probe = await rig.probe('one');
  await probe.follow();
});
afterAll(async () => {
  await client?.close();
  await rig?.stop();
});

/** Reports a success as the first result of a lane; returns the watermark of the response, or null. */
async function report(monitorId: string, epoch: string): Promise<number | null> {
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  const results = [checked(monitorId, Date.now())];
  const bytes = encodeBatch({ epoch, engine: 'test', first: 1, last: 1, results, dropped: [] });
  const subject = subjects.results(shardMap.of(monitorId), region_id, probe_id);
  const response = await probe.nats.request(subject, bytes, { timeout: 2000 }).catch(() => null);
  return response && batchResponse.parse(JSON.parse(Buffer.from(response.data).toString())).watermark;
}

async function create(name: string): Promise<string> {
  const { monitor: { id } } = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
    name, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 300,
  });
  await until(() => probe.held.has(id), { what: 'its assignment' });
  return id;
}

test('the first result of a new assignment is accepted at once, even by a controller that is starting', async () => {
  const id = await create('Shop');
  expect(await report(id, 'first')).toBe(1);
  await rig.restart(async () => undefined);
  await until(async () => (await report(id, 'again')) === 1, { what: 'taken after the restart' });
  expect(await collection('dead_letters').find({}).toArray()).toEqual([]);
});

test('a result that overtakes the configuration of its monitor waits for it, and is not lost', async () => {
  const model = await create('Model');
  const id = newId(Date.now());
  const held = `${probe.enrolment?.probe_id}:${model}`;
  const { _id: _itemId, ...item } = (await collection('assignments').findOne({ _id: held })) as Document;
  const { _id: _modelId, unjournaled: _mark, ...doc } =
    (await collection('monitors').findOne({ _id: model })) as Document;
  // As left by a controller that has assigned a monitor but not yet notified the owner of its shard.
  await collection('monitors').insertOne({ _id: id, ...doc, name: 'Withheld' });
  await collection('assignments').insertOne({ _id: `${probe.enrolment?.probe_id}:${id}`, ...item, monitor_id: id });
  for (let round = 0; round < 3; round += 1) expect(await report(id, 'early')).toBe(0);
  await collection('monitors').updateOne({ _id: id }, { $set: { unjournaled: shardMap.of(id) } });
  await until(async () => (await report(id, 'early')) === 1, { what: 'taken once the owner knows the monitor' });
  expect(await collection('dead_letters').find({}).toArray()).toEqual([]);
});
