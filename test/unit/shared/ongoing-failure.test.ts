import { pino } from 'pino';
import { expect, test } from 'vitest';
import { OngoingFailure } from '../../../shared/ongoing-failure.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

function build() {
  const clock = new SimulatedClock();
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line.trim()) });
  const failure = new OngoingFailure({
    clock, log, level: 'error', message: 'lost', recoveredMessage: 'kept again', countField: 'results',
  });
  return { clock, failure, takeLines: () => lines.splice(0).map((line) => JSON.parse(line) as object) };
}

test('a recurring failure is logged when it starts, every minute, and on recovery', async () => {
  const { clock, failure, takeLines } = build();
  const perSecond: number[] = [];
  for (let second = 0; second < 150; second += 1) {
    failure.record({ code: 'ENOSPC' }, 2);
    perSecond.push(...takeLines().map(() => second));
    await clock.advance(1000);
  }
  expect(perSecond).toEqual([0, 60, 120]);
  await clock.advance(10_000);
  failure.recovered();
  failure.recovered();
  expect(takeLines()).toEqual([{ level: 30, lasted_s: 149, results: 300, msg: 'kept again' }]);
  failure.record({ code: 'EIO' });
  expect(takeLines()).toEqual([{ level: 50, code: 'EIO', results: 1, msg: 'lost' }]);
});

test('each line has the number of failures since the previous one', async () => {
  const { clock, failure, takeLines } = build();
  failure.record({});
  await clock.advance(30_000);
  failure.record({}, 4);
  expect(takeLines()).toHaveLength(1);
  await clock.advance(30_000);
  failure.record({}, 3);
  expect(takeLines()).toEqual([{ level: 50, results: 7, msg: 'lost' }]);
});

test('brief recoveries do not end it', async () => {
  const { clock, failure, takeLines } = build();
  for (let second = 0; second < 60; second += 3) {
    failure.record({});
    await clock.advance(2000);
    failure.recovered();
    await clock.advance(1000);
  }
  expect(takeLines()).toHaveLength(1);
});

test('nothing is logged without a failure', () => {
  const { failure, takeLines } = build();
  failure.recovered();
  expect(takeLines()).toEqual([]);
});
