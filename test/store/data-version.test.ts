import { expect, test } from 'vitest';
import { claimDataVersion } from '../../controller/platform/mongo/data-version.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { testMongo } from '../helpers/mongo.ts';

test('a database that a newer version has written is refused and not changed', async () => {
  const store = await testMongo();
  const mongo = checkedMongo(store.url);
  try {
    const versions = mongo.db.collection<{ _id: string; version: number }>('settings');
    await claimDataVersion(mongo.db);
    await claimDataVersion(mongo.db);
    await versions.updateOne({ _id: 'data_version' }, { $set: { version: 1_000_000 } });
    await expect(claimDataVersion(mongo.db)).rejects.toThrow('was written by a newer version of Farwatch.');
    expect(await versions.findOne({ _id: 'data_version' })).toMatchObject({ version: 1_000_000 });
  } finally {
    await mongo.close();
    await store.stop();
  }
});
