import { pino } from 'pino';
import { expect, test } from 'vitest';
import { LastingTrouble } from '../../../shared/lasting-trouble.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

function troubled() {
  const clock = new SimulatedClock();
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line.trim()) });
  const trouble = new LastingTrouble({
    clock, log, level: 'error', text: 'lost', over: 'kept again', counted: 'results',
  });
  return { clock, trouble, told: () => lines.splice(0).map((line) => JSON.parse(line) as object) };
}

test('what fails every second is told when it begins, every minute, and when it is over', async () => {
  const { clock, trouble, told } = troubled();
  const perSecond: number[] = [];
  for (let second = 0; second < 150; second += 1) {
    trouble.met({ code: 'ENOSPC' }, 2);
    perSecond.push(...told().map(() => second));
    await clock.advance(1000);
  }
  expect(perSecond).toEqual([0, 60, 120]);
  await clock.advance(10_000);
  trouble.passed();
  trouble.passed();
  expect(told()).toEqual([{ level: 30, lasted_s: 149, results: 300, msg: 'kept again' }]);
  trouble.met({ code: 'EIO' });
  expect(told()).toEqual([{ level: 50, code: 'EIO', results: 1, msg: 'lost' }]);
});

test('the line of a minute has the number since the one before', async () => {
  const { clock, trouble, told } = troubled();
  trouble.met({});
  await clock.advance(30_000);
  trouble.met({}, 4);
  expect(told()).toHaveLength(1);
  await clock.advance(30_000);
  trouble.met({}, 3);
  expect(told()).toEqual([{ level: 50, results: 7, msg: 'lost' }]);
});

test('it lasts while it comes and goes within seconds', async () => {
  const { clock, trouble, told } = troubled();
  for (let second = 0; second < 60; second += 3) {
    trouble.met({});
    await clock.advance(2000);
    trouble.passed();
    await clock.advance(1000);
  }
  expect(told()).toHaveLength(1);
});

test('nothing is told of what never failed', () => {
  const { trouble, told } = troubled();
  trouble.passed();
  expect(told()).toEqual([]);
});
