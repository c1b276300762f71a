import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { claimInstallation } from '../../controller/platform/mongo/installation.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { testMongo } from '../helpers/mongo.ts';

interface Settings {
  _id: string;
  version: number;
  shards?: number;
}

let store: Awaited<ReturnType<typeof testMongo>>;
let mongo: ReturnType<typeof checkedMongo>;
const settings = () => mongo.db.collection<Settings>('settings');
const claim = (shards: number | null) => claimInstallation(mongo.db, shards).then(({ count }) => count);

beforeAll(async () => {
  store = await testMongo();
  mongo = checkedMongo(store.url);
});
beforeEach(() => settings().deleteMany({}));
afterAll(async () => {
  await mongo.close();
  await store.stop();
});

test('a database that a newer version has written is refused and not changed', async () => {
  await claim(null);
  await claim(null);
  await settings().updateOne({ _id: 'data_version' }, { $set: { version: 1_000_000 } });
  await expect(claim(null)).rejects.toThrow('was written by a newer version of Farwatch.');
  expect(await settings().findOne({ _id: 'data_version' })).toMatchObject({ version: 1_000_000 });
});

test.each([[null, 16], [1, 1], [32, 32], [256, 256]])('a first start with SHARDS=%s decides on %i shards', async (chosen, count) => {
  expect(await claim(chosen)).toBe(count);
  expect(await claim(null)).toBe(count);
  expect(await claim(count)).toBe(count);
  await expect(claim(count === 2 ? 3 : 2)).rejects.toThrow(
    `Farwatch cannot start: this installation has had ${count} shards since its first start, so SHARDS must be ${count} or unset, not 2`,
  );
  expect(await settings().find({}).toArray()).toEqual([{ _id: 'data_version', version: 1, shards: count }]);
});

test('an installation with no number stored has 16 shards', async () => {
  await settings().insertOne({ _id: 'data_version', version: 1 });
  expect([await claim(null), await claim(16)]).toEqual([16, 16]);
  await expect(claim(32)).rejects.toThrow('SHARDS must be 16 or unset, not 32');
});

test('of simultaneous first starts with different numbers, one decides and the others are refused', async () => {
  const wanted = [2, 4, 8, 32, 64, 128];
  const outcomes = await Promise.allSettled([...wanted, null].map(claim));
  const { shards: chosen = 0 } = (await settings().findOne({ _id: 'data_version' })) ?? {};
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  expect([...wanted, 16]).toContain(chosen);
  expect(new Set(started)).toEqual(new Set([chosen]));
  expect(started).toHaveLength(chosen === 16 ? 1 : 2);
});
