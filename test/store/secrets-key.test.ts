import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { KeyRingStore } from '../../controller/accounts/sessions/key-ring-store.ts';
import { openSecretBox, WrongSecretsKey } from '../../controller/secrets/data-key.ts';
import type { SecretBox } from '../../controller/secrets/secret-box.ts';
import { DataKeyStore } from '../../controller/secrets/store.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';

const [FIRST, SECOND] = ['first-key-with-more-than-32-characters', 'second-key-with-more-than-32-characters'];

let store: TestMongo;
let mongo: ReturnType<typeof checkedMongo>;
beforeAll(async () => {
  store = await testMongo();
  mongo = checkedMongo(store.url);
});
afterAll(async () => {
  await mongo.close();
  await store.stop();
});
beforeEach(() => mongo.db.collection('data_keys').deleteMany({}));

const boxWith = (...settings: string[]): Promise<SecretBox> => openSecretBox({
  keys: new DataKeyStore(mongo.db), settings,
  ringKeys: async () => (await new KeyRingStore(mongo.db).loadOrCreate()).derive('farwatch secrets'),
});
const problemWith = (...settings: string[]): Promise<string> => boxWith(...settings).then(
  () => 'none',
  (error: unknown) => (error instanceof WrongSecretsKey ? error.message : Promise.reject(error)),
);

test('a sealed text opens only unchanged, in its own place and with its own key', async () => {
  const box = await boxWith(FIRST);
  const sealed = box.seal('schöner Wert', 'one');
  expect(box.open(sealed, 'one')).toBe('schöner Wert');
  expect(box.seal('schöner Wert', 'one')).not.toBe(sealed);
  expect(box.open(sealed, 'two')).toBeNull();
  for (let at = 0; at < sealed.length; at += 1) {
    const bytes = Buffer.from(sealed, 'base64');
    const index = Math.floor(at * bytes.length / sealed.length);
    bytes[index] = (bytes[index] as number) ^ 1;
    expect(box.open(bytes.toString('base64'), 'one')).toBeNull();
  }
  for (const short of ['', 'AAAA', sealed.slice(0, 36)]) expect(box.open(short, 'one')).toBeNull();
});

describe('controllers', () => {
  test('that start at once on a new database have the same key, with and without SECRETS_KEY', async () => {
    for (const settings of [[], [FIRST]]) {
      await mongo.db.collection('data_keys').deleteMany({});
      const boxes = await Promise.all([1, 2, 3, 4].map(() => boxWith(...settings)));
      const sealed = (boxes[0] as SecretBox).seal('value', 'x');
      expect(boxes.map((box) => box.open(sealed, 'x'))).toEqual(Array(4).fill('value'));
    }
  });

  test('keep what was sealed when SECRETS_KEY is set later, and when it is replaced', async () => {
    const sealed = (await boxWith()).seal('value', 'x');
    expect((await boxWith(FIRST)).open(sealed, 'x')).toBe('value');
    expect(await problemWith()).toContain('SECRETS_KEY must be set');
    expect((await boxWith(SECOND, FIRST)).open(sealed, 'x')).toBe('value');
    expect((await boxWith(SECOND)).open(sealed, 'x')).toBe('value');
    expect(await problemWith(FIRST)).toMatch(
      /SECRETS_KEY is not the key with which .* are encrypted\. To replace a key, set SECRETS_KEY to the new key, a comma and/,
    );
  });

  test('start again without the secrets if the key is lost and the operator says so', async () => {
    const sealed = (await boxWith(FIRST)).seal('value', 'x');
    expect((await boxWith(FIRST, 'lost')).open(sealed, 'x'), 'it is not lost').toBe('value');
    const box = await boxWith(SECOND, 'lost');
    expect(box.open(sealed, 'x')).toBeNull();
    expect((await boxWith(SECOND)).open(box.seal('new', 'x'), 'x')).toBe('new');
  });
});
