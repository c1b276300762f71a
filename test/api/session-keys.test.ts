import { afterAll, beforeAll, expect, test } from 'vitest';
import { KeyRingStore } from '../../controller/accounts/sessions/key-ring-store.ts';
import { SessionTokens } from '../../controller/accounts/sessions/credentials.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';

let rig: ControllerRig;
let mongo: ReturnType<typeof checkedMongo>;
beforeAll(async () => {
  rig = await startControllerRig();
  mongo = checkedMongo(rig.store.url);
});
afterAll(async () => {
  await mongo?.close();
  await rig?.stop();
});

test('a session created on one controller is valid on another, and ends on both', async () => {
  const other = await rig.another();
  const session = await new ApiSession(other.url).begin();
  expect(await session.at(rig.controller.url).call('GET', '/api/monitors')).toMatchObject({ status: 200 });
  expect((await rig.session.at(other.url).call('GET', '/api/monitors')).status).toBe(200);
  await session.at(rig.controller.url).call('POST', '/api/auth/logout');
  expect((await session.call('GET', '/api/monitors')).error?.code).toBe('INVALID_TOKEN');
});

test('a copy of the database contains the keys and the sessions, and opens none of them', async () => {
  const tokens = new SessionTokens(await new KeyRingStore(mongo.db).loadOrCreate());
  const stored = await mongo.db.collection<{ _id: string; user_id: string }>('sessions').find({}).toArray();
  expect(stored.length).toBeGreaterThan(0);
  for (const { _id: secret, user_id: userId } of stored) {
    const forged = await tokens.sign({ userId, secret }, Date.now(), Date.now() + 60_000);
    const { error } = await rig.session.as(forged).call('GET', '/api/monitors');
    expect(error?.code).toBe('INVALID_TOKEN');
  }
});

test('controllers that start at once on a new database have the same keys', async () => {
  const { db } = mongo;
  await db.collection('key_rings').deleteMany({});
  const rings = await Promise.all([1, 2, 3, 4].map(() => new KeyRingStore(db).loadOrCreate()));
  expect(new Set(rings.map(({ signing }) => signing.kid)).size).toBe(1);
  expect(await db.collection('key_rings').countDocuments()).toBe(1);
  expect((await new KeyRingStore(db).loadOrCreate()).signing.kid).toBe(rings[0]?.signing.kid);
});
