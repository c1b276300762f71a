import { describe, expect, test } from 'vitest';
import { detect, POLICIES } from '../../bench/detection/policies.ts';
import { NaiveAlerting } from '../../bench/noise/naive-alerting.ts';

const MINUTE_MS = 60_000;

function after(name: string, failsAfterMs: number): { seenMs: number; confirmedMs: number } {
  const policy = (POLICIES[name] as (typeof POLICIES)[string])(MINUTE_MS);
  return detect(policy, { afterMs: 45_000, failsAfterMs });
}

describe('time that a policy adds to the first failure', () => {
  test.each([['updown', 60_000], ['Jetmon v1', 90_000], ['Checkly', 15_000]])('%s: %d ms', (name, confirmedMs) => {
    expect(after(name, 0)).toEqual({ seenMs: 15_000, confirmedMs });
  });

  test('a check that fails by timeout ends that much later, and so does its confirmation', () => {
    expect(after('updown', 10_000)).toEqual({ seenMs: 25_000, confirmedMs: 60_000 });
  });

  test('rechecks do not overlap', () => {
    expect(after('Checkly', 20_000)).toEqual({ seenMs: 35_000, confirmedMs: 60_000 });
  });
});

describe('alerting without confirmation', () => {
  const build = (isWorking: boolean, confirms = true) =>
    new NaiveAlerting({ isWorking: () => isWorking, confirms: () => confirms });

  test('is false once per run of failures of a working target', () => {
    const naive = build(true);
    for (const found of ['failure', 'failure', 'success', 'failure'] as const) naive.record('m', 'eu', found);
    expect(naive.falseAlerts).toBe(2);
  });

  test('counts alerts of a region without network separately', () => {
    const naive = build(true);
    naive.record('m', 'eu', 'lost');
    expect([naive.falseAlerts, naive.falseByLoss]).toEqual([0, 1]);
  });

  test('is correct about a target that is down, and silent without agreement', () => {
    for (const naive of [build(false), build(true, false)]) {
      naive.record('m', 'eu', 'failure');
      expect(naive.falseAlerts).toBe(0);
    }
  });
});
