import { expect, test } from 'vitest';
import { DeadLetterStore } from '../../controller/results/dead-letters/dead-letter-store.ts';
import type { DeadLetter } from '../../controller/results/dead-letters/dead-letter.ts';
import { DeadLetterBox } from '../../controller/results/dead-letters/dead-letter-box.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { until } from '../helpers/until.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { withCheckedMongo } from './with-mongo.ts';

let inserts = 0;
const mongo = withCheckedMongo((command) => (inserts += 'insert' in command ? 1 : 0));

const letter = (probe: string): DeadLetter => ({
  id: newId(Date.now()), reason: 'unreadable', shard: 1, region: 'local', probe_id: probe, epoch: null,
  seq: null, monitor_id: null, content: '', at: Date.now(),
});
const boxOver = (store: Pick<DeadLetterStore, 'add'>, clock = new SimulatedClock()) =>
  new DeadLetterBox({ store, clock, log: createLog('test', 'silent') });
const stored = (probe: string) => mongo.db.collection('dead_letters').countDocuments({ probe_id: probe });

test('a flood of single letters is stored completely, in few commands', async () => {
  const box = boxOver(new DeadLetterStore(mongo.db));
  inserts = 0;
  for (let at = 0; at < 1999; at += 1) box.put([letter('one')]);
  await box.stop();
  expect(await stored('one')).toBe(1999);
  expect(inserts).toBeLessThan(10);
});

test('letters are stored once the database is available again', async () => {
  const clock = new SimulatedClock();
  const away = checkedMongo('mongodb://127.0.0.1:1');
  const stores = { working: new DeadLetterStore(mongo.db), away: new DeadLetterStore(away.db) };
  let isAway = true;
  let refusals = 0;
  const box = boxOver({
    add: async (letters) => {
      if (!isAway) return stores.working.add(letters);
      await stores.away.add(letters).finally(() => (refusals += 1));
    },
  }, clock);
  box.put([letter('two'), letter('two')]);
  await until(() => refusals === 1, { what: 'an attempt fails' });
  isAway = false;
  await until(async () => {
    await clock.advance(1000);
    return (await stored('two')) === 2;
  }, { what: 'both letters are stored' });
  await box.stop();
  await away.close();
});

test('beyond ten thousand waiting letters, further ones are counted but not stored', async () => {
  const box = boxOver(new DeadLetterStore(mongo.db));
  for (let sender = 0; sender < 6; sender += 1) {
    for (let at = 0; at < 2000; at += 1) box.put([letter(`flood ${sender}`)]);
  }
  expect(box.omitted).toBe(2000);
  await box.stop();
  expect(await mongo.db.collection('dead_letters').countDocuments({
    probe_id: { $in: [0, 1, 2, 3, 4, 5].map((sender) => `flood ${sender}`) },
  }))
    .toBe(10_000);
});

test.each([
  ['in the background', (box: DeadLetterBox, letters: DeadLetter[]) => (box.put(letters), box.stop())],
  ['at once', (box: DeadLetterBox, letters: DeadLetter[]) => box.storeNow(letters)],
])('a letter that the database rejects is the only one lost when letters are stored %s', async (title, store) => {
  const box = boxOver(new DeadLetterStore(mongo.db));
  const [good, fat] = [`good ${title}`, `fat ${title}`];
  await store(box, [letter(good), { ...letter(fat), content: 'x'.repeat(17 * 2 ** 20) }, letter(good)]);
  expect(await stored(good)).toBe(2);
  expect([await stored(fat), box.count, box.omitted]).toEqual([0, 3, 1]);
});
