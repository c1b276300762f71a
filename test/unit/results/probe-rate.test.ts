import { expect, test } from 'vitest';
import { ProbeRate } from '../../../controller/results/intake/probe-rate.ts';

const MIB = 1_048_576;

test('a probe may send 16 MiB in a burst, then 1 MiB per second, without affecting other probes', () => {
  const rate = new ProbeRate();
  const sent = Array.from({ length: 20 }, () => rate.admits('loud', MIB, 1000));
  expect(sent.filter(Boolean)).toHaveLength(16);
  expect(rate.exceeded).toBe(4);
  expect(rate.admits('quiet', MIB, 1000)).toBe(true);
  expect([rate.admits('loud', MIB, 1500), rate.admits('loud', MIB, 2000), rate.admits('loud', MIB, 2001)])
    .toEqual([false, true, false]);
});

test('a pause allows no more than the full burst', () => {
  const rate = new ProbeRate();
  for (let at = 0; at < 16; at += 1) rate.admits('p', MIB, 0);
  expect(Array.from({ length: 20 }, () => rate.admits('p', MIB, 3_600_000)).filter(Boolean)).toHaveLength(16);
});
