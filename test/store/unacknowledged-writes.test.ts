import { afterAll, beforeAll, expect, test } from 'vitest';
import { AssignmentStore } from '../../controller/assignments/store.ts';
import { SecretBox } from '../../controller/secrets/secret-box.ts';
import type { DeliveryDoc } from '../../controller/delivery/delivery.ts';
import { DeliveryStore } from '../../controller/delivery/store.ts';
import { isDatabaseUnavailable } from '../../controller/platform/mongo/mongo-errors.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { DeadLetterStore } from '../../controller/results/dead-letters/dead-letter-store.ts';
import type { DeadLetter } from '../../controller/results/dead-letters/dead-letter.ts';
import { type JournalEntry, JournalStore } from '../../controller/results/journal/journal-store.ts';
import { SnapshotStore } from '../../controller/results/writing/snapshot-store.ts';
import { startMongoProxy, type FaultProxy } from '../helpers/fault-proxy.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';

let store: TestMongo;
let proxy: FaultProxy & { url: string };
let mongo: Mongo;

beforeAll(async () => {
  store = await testMongo();
});
afterAll(() => store.stop());

const entry: JournalEntry = {
  shard: 1, n: 1, v: 1, writer: 'w:1', taken_at: 1, configs: [], batches: [], pings: [], clock: [], lanes: [],
};
const letter: DeadLetter = {
  id: 'l', reason: 'unreadable', shard: 1, region: 'r', probe_id: 'p', epoch: null, seq: null,
  monitor_id: null, content: '', at: 1,
};

test.each<[string, () => Promise<unknown>]>([
  ['a journal entry', () => new JournalStore(mongo.db).insert([entry])],
  ['a snapshot', () => new SnapshotStore(mongo.db).move(1, { n: 1, lanes: [], taken_at: 1 })],
  ['a dead letter', () => new DeadLetterStore(mongo.db).add([letter])],
  ['a delivery', () => new DeliveryStore(mongo.db).insertAbsent([{ _id: 'd' } as DeliveryDoc])],
  ['an assignment', () => {
    const change = { monitor_id: 'm', monitor_rev: 1, assignment: null } as never;
    return new AssignmentStore(mongo.db, SecretBox.of('test')).stage([change], 't', 1);
  }],
])('%s counts as unwritten when the database never responds', async (_what, write) => {
  proxy = await startMongoProxy(store.url);
  mongo = checkedMongo(proxy.url);
  await mongo.ping();
  proxy.drop();
  const written = write().then(() => 'written', (error: unknown) => error);
  await proxy.close();
  const outcome = await written;
  expect(outcome).toBeInstanceOf(Error);
  expect(isDatabaseUnavailable(outcome)).toBe(true);
  await mongo.close();
});

test('indexes that take longer than an operation\'s timeout are requested again, one at a time', async () => {
  proxy = await startMongoProxy(store.url);
  const requested: string[][] = [];
  mongo = checkedMongo(proxy.url, (command) => {
    if (!('createIndexes' in command)) return;
    requested.push((command['indexes'] as { name: string }[]).map(({ name }) => name));
    if (requested.length === 2) proxy.heal();
  });
  await mongo.ping();
  proxy.swallow('createIndexes');
  await new DeliveryStore(mongo.db).ensureIndexes();
  expect(requested).toEqual([['queue', 'log', 'digest', 'firsts', 'age'], ['queue'], ['log'], ['digest'], ['firsts'], ['age']]);
  const deliveries = mongo.db.collection('deliveries');
  for (const hint of ['queue', 'log', 'digest', 'age']) {
    expect(await deliveries.find({}, { hint }).toArray(), hint).toEqual([]);
  }
  await mongo.close();
  await proxy.close();
});
