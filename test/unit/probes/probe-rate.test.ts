import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { ProbeRate } from '../../../controller/probes/probe-rate.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const MIB = 1_048_576;

let clock: SimulatedClock;
let lines: { probe_id: string; subject: string }[];

beforeEach(() => {
  clock = new SimulatedClock();
  lines = [];
});

function rateOf(subject: 'results' | 'beat'): ProbeRate {
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
  return new ProbeRate({ clock, log, subject });
}

test('a probe may send 16 MiB in a burst, then 1 MiB per second, without affecting other probes', async () => {
  const rate = rateOf('results');
  const sent = Array.from({ length: 20 }, () => rate.admits('loud', MIB));
  expect(sent.filter(Boolean)).toHaveLength(16);
  expect(rate.exceeded).toBe(4);
  expect(rate.admits('other', MIB)).toBe(true);
  await clock.advance(500);
  expect(rate.admits('loud', MIB)).toBe(false);
  await clock.advance(500);
  expect([rate.admits('loud', MIB), rate.admits('loud', MIB)]).toEqual([true, false]);
});

test('a pause allows no more than the full burst', async () => {
  const rate = rateOf('results');
  for (let at = 0; at < 16; at += 1) rate.admits('p', MIB);
  await clock.advance(3_600_000);
  expect(Array.from({ length: 20 }, () => rate.admits('p', MIB)).filter(Boolean)).toHaveLength(16);
});

test('ignored messages are counted, and logged once per probe and minute', async () => {
  const rate = rateOf('beat');
  for (let second = 0; second < 61; second += 1) {
    for (let at = 0; at < 100; at += 1) for (const probe of ['one', 'two']) rate.admits(probe);
    await clock.advance(1000);
  }
  expect(rate.exceeded).toBe(2 * (61 * 100 - 50 - 60 * 5));
  expect(lines.map(({ probe_id, subject }) => `${probe_id} ${subject}`))
    .toEqual(['one beat', 'two beat', 'one beat', 'two beat']);
});

test('a probe that beats every 5 s and on each new connection is never ignored', async () => {
  const rate = rateOf('beat');
  // Connections come at least 250 ms apart.
  for (let at = 0; at < 4 * 600; at += 1) {
    rate.admits('honest');
    if (at % 20 === 0) rate.admits('honest');
    await clock.advance(250);
  }
  expect(rate.exceeded).toBe(0);
});
