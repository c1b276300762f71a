import { expect, test } from 'vitest';
import { Turns } from '../../../../probe/checks/icmp/turns.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';

/** Waits for an immediate, which is one turn. */
const nextTurn = (): Promise<void> => new SimulatedClock().advance(0);

test('waiting calls get a turn each, in order', async () => {
  const turns = new Turns();
  const made: number[] = [];
  for (const nth of [1, 2, 3]) turns.take(() => made.push(nth));
  expect(made).toEqual([]);
  for (const all of [[1], [1, 2], [1, 2, 3]]) {
    await nextTurn();
    expect(made).toEqual(all);
  }
});

test('many waiting calls share turns', async () => {
  const turns = new Turns();
  let made = 0;
  for (let nth = 0; nth < 8000; nth += 1) turns.take(() => (made += 1));
  await nextTurn();
  expect(made).toBe(1000);
  for (let turn = 0; turn < 80; turn += 1) await nextTurn();
  expect(made).toBe(8000);
});
