import { MongoClient, ReadPreference, type Collection } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ReplicaSet } from '../helpers/replica-set.ts';
import { until } from '../helpers/until.ts';

// What the driver does with a replica set, which `ReplicaSet` has to be for it.
let set: ReplicaSet;
let client: MongoClient;
let docs: Collection<{ _id: number; n?: number }>;
let serial = 0;
/** The primary that the driver knows. */
let known: string | undefined;

beforeAll(async () => {
  set = await ReplicaSet.start();
  client = new MongoClient(set.url, { heartbeatFrequencyMS: 600_000, retryReads: false });
  client.on('topologyDescriptionChanged', ({ newDescription: { servers } }) => {
    known = [...servers.values()].find(({ type }) => type === 'RSPrimary')?.address;
  });
});
beforeEach(async () => {
  docs = client.db().collection(`c${serial += 1}`);
  await client.connect();
  await knows(0);
});
const knows = (member: number) =>
  until(() => known === set.members[member]?.address, { what: 'the driver knows the primary' });
afterEach(() => set.heal());
afterAll(async () => {
  await client?.close();
  await set?.stop();
});

describe('a write that the driver retries', () => {
  test.each<[string, () => void]>([
    ['a connection breaks before it is executed', () => set.fail(/^update/, { connection: 'reset' })],
    ['a connection breaks after it was executed', () => set.fail(/^update/, { connection: 'reset', isApplied: true })],
    ['the primary refuses it', () => set.fail(/^update/, { code: 189 })],
    ['the primary shuts down after it was executed', () => set.fail(/^update/, { code: 91, isApplied: true })],
    ['another member becomes primary while it is executed', () => {
      void set.stepDownDuring(/^update/).then(() => set.elect(1));
    }],
    ['the primary is stale', () => set.leaveStalePrimary()],
  ])('takes effect once if %s', async (_what, inject) => {
    await docs.insertOne({ _id: 1, n: 0 });
    inject();
    expect(await docs.updateOne({ _id: 1 }, { $inc: { n: 1 } })).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
    expect(await docs.findOne({ _id: 1 })).toEqual({ _id: 1, n: 1 });
  });

  test('of several documents inserts each once', async () => {
    set.fail(/^insert/, { connection: 'reset', isApplied: true });
    expect(await docs.insertMany([{ _id: 1 }, { _id: 2 }])).toMatchObject({ insertedCount: 2 });
    expect(await docs.countDocuments({})).toBe(2);
  });

  test('returns the document that it found the first time', async () => {
    await docs.insertOne({ _id: 1, n: 0 });
    set.fail(/^findandmodify/, { connection: 'reset', isApplied: true });
    expect(await docs.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })).toEqual({ _id: 1, n: 0 });
    expect(await docs.findOne({ _id: 1 })).toEqual({ _id: 1, n: 1 });
  });
});

test('a new primary is found by its greeting, without a failed command', async () => {
  set.elect(2);
  await knows(2);
  await docs.insertOne({ _id: 1 });
});

test('a stale primary is not used once another one is known', async () => {
  set.leaveStalePrimary();
  await knows(1);
  await docs.insertOne({ _id: 1 });
  const [stale] = set.members;
  const direct = await MongoClient.connect(`mongodb://${stale?.address}/?directConnection=true&retryWrites=false`);
  expect(await direct.db('admin').command({ hello: 1 })).toMatchObject({ isWritablePrimary: true });
  await expect(direct.db(set.database).collection('c').insertOne({})).rejects.toMatchObject({ code: 10107 });
  await direct.close();
});

test('a secondary reads for clients that accept it, also without a primary', async () => {
  await docs.insertOne({ _id: 1 });
  set.stepDown();
  expect(await docs.findOne({}, { readPreference: ReadPreference.SECONDARY })).toEqual({ _id: 1 });
});
