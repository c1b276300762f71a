import { beforeEach, describe, expect, test } from 'vitest';
import { Company } from '../../../shared/company.ts';
import { Rounds } from '../../../shared/rounds.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

let clock: SimulatedClock;
let made: number[];
let outcome: boolean | 'quiet' | Error;

beforeEach(() => {
  [clock, made, outcome] = [new SimulatedClock(), [], false];
});

function started(quietMs?: number, company?: Company): Rounds {
  const rounds = new Rounds({
    clock, everyMs: 1000, company, ...(quietMs === undefined ? {} : { quietMs }),
    round: async () => {
      made.push(clock.monotonic());
      const end = outcome;
      if (end === true) outcome = false;
      if (end instanceof Error) throw end;
      return end;
    },
    onFailed: () => undefined,
  });
  rounds.start();
  return rounds;
}

test('a round is made in every period, the first after one, and none after a stop', async () => {
  const rounds = started();
  await clock.advance(3500);
  await rounds.stop();
  await clock.advance(5000);
  expect(made).toEqual([1000, 2000, 3000]);
});

test('a round that has more to do is followed by another at once', async () => {
  const rounds = started();
  outcome = true;
  rounds.look();
  await clock.advance(0);
  expect(made).toEqual([0, 0]);
  await rounds.stop();
});

describe('with a quiet time', () => {
  test('the next round after a quiet one is due later', async () => {
    const rounds = started(5000);
    outcome = 'quiet';
    await clock.advance(11_500);
    expect(made).toEqual([1000, 6000, 11_000]);
    await rounds.stop();
  });

  test.each([false, new Error('no answer')])('a round that ends with %s brings back the short period', async (end) => {
    const rounds = started(5000);
    outcome = 'quiet';
    await clock.advance(1500);
    outcome = end;
    rounds.look();
    await clock.advance(2000);
    expect(made).toEqual([1000, 1500, 2500, 3500]);
    await rounds.stop();
  });

  test('a quiet round under way while it is stopped is the last', async () => {
    const rounds = started(5000);
    outcome = 'quiet';
    rounds.look();
    await rounds.stop();
    await clock.advance(20_000);
    expect([made, clock.pending]).toEqual([[0], 0]);
  });
});

describe('of a controller that is alone', () => {
  let company: Company;

  beforeEach(() => {
    company = new Company();
    company.seen(true);
    outcome = 'quiet';
  });

  test('the next round after a quiet one is due in a minute', async () => {
    const rounds = started(5000, company);
    await clock.advance(150_000);
    expect(made).toEqual([1000, 61_000, 121_000]);
    await rounds.stop();
  });

  test('a round is made at once when another controller comes', async () => {
    const rounds = started(5000, company);
    await clock.advance(10_000);
    company.seen(false);
    await clock.advance(10_000);
    expect(made).toEqual([1000, 10_000, 15_000, 20_000]);
    await rounds.stop();
    company.seen(true);
    company.seen(false);
    await clock.advance(10_000);
    expect(made).toHaveLength(4);
  });

  test('a round is made when the clock has jumped forward, and not when it was set back', async () => {
    const rounds = started(5000, company);
    company.readClock(clock);
    await clock.advance(10_000);
    clock.jump(-3_600_000);
    company.readClock(clock);
    await clock.advance(10_000);
    clock.jump(30_000);
    company.readClock(clock);
    await clock.advance(10_000);
    company.readClock(clock);
    await clock.advance(10_000);
    expect(made).toEqual([1000, 20_000]);
    await rounds.stop();
  });

  test('what can wait is looked for within a period, however often it is told', async () => {
    const rounds = started(5000, company);
    await clock.advance(10_000);
    for (const _ of [1, 2, 3]) {
      rounds.soon();
      await clock.advance(500);
    }
    await clock.advance(20_000);
    expect(made).toEqual([1000, 11_000, 12_000]);
    await rounds.stop();
  });

  test('what is told while a round is under way is looked for in the next', async () => {
    const rounds = started(5000, company);
    await clock.advance(500);
    rounds.look();
    rounds.soon();
    await clock.advance(10_000);
    expect(made).toEqual([500, 1500]);
    await rounds.stop();
  });
});
