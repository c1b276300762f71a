import { expect, test } from 'vitest';
import { Turns } from '../../../controller/delivery/turns.ts';

/** Asks for a turn and says in `log` when it begins; `finish` ends it. */
function work(turns: Turns, rank: 'begin' | 'end', name: string, log: string[]): { finish(): void; done: Promise<void> } {
  let finish = (): void => undefined;
  const work = new Promise<void>((resolve) => (finish = resolve));
  const done = turns.take(rank, () => {
    log.push(name);
    return work;
  });
  return { finish, done };
}

test('no more run at once than there are turns, and what ends something goes first', async () => {
  const turns = new Turns(2);
  const log: string[] = [];
  const [a, b, c, d, e] = [work(turns, 'begin', 'a', log), work(turns, 'begin', 'b', log), work(turns, 'begin', 'c', log), work(turns, 'end', 'd', log), work(turns, 'begin', 'e', log)];
  expect([log, turns.waiting]).toEqual([['a', 'b'], 3]);
  a.finish();
  await a.done;
  expect(log).toEqual(['a', 'b', 'd']);
  for (const one of [b, c, d, e]) one.finish();
  await Promise.all([b, c, d, e].map(({ done }) => done));
  expect([log, turns.waiting]).toEqual([['a', 'b', 'd', 'c', 'e'], 0]);
});

test('work that fails gives its turn on', async () => {
  const turns = new Turns(1);
  const failed = turns.take('end', () => Promise.reject(new Error('away')));
  const next = turns.take('begin', () => Promise.resolve('done'));
  await expect(failed).rejects.toThrow('away');
  expect(await next).toBe('done');
});
