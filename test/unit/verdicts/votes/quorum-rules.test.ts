import { describe, expect, test } from 'vitest';
import { requiredVotes, verdictOf } from '../../../../controller/verdicts/votes/quorum-rules.ts';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import type { RegionState } from '../../../../controller/verdicts/monitor-state.ts';
import { configOf } from '../../results/build.ts';

test.each([
  ['any', 1, 1], ['any', 5, 1], ['all', 1, 1], ['all', 5, 5], ['majority', 1, 1], ['majority', 2, 2],
  ['majority', 3, 2], ['majority', 4, 3], ['majority', 5, 3],
  [1, 5, 1], [2, 5, 2], [5, 3, 5], [2, 1, 2],
] as [MonitorConfig['quorum'], number, number][])('quorum %s of %i votes needs %i', (
  quorum, votes, needed,
) => {
  expect(requiredVotes(quorum, votes)).toBe(needed);
});

/** u: up, d: down, s: slow, ?: unknown. */
function regionsOf(letters: string): Record<string, RegionState> {
  return Object.fromEntries([...letters].map((letter, at) => [`r${at}`, {
    verdict: letter === 'd' ? 'down' : letter === '?' ? 'unknown' : 'up', degraded: letter === 's', slows: 0, fails: 0, engine: '',
    first_fail_at: null, last_at: null,
    response_time_ms: null, status_code: null, error: null, probe_id: null, reason: null,
  }]));
}

describe('the verdict of the regions', () => {
  test.each([
    ['', 'majority', 'unknown'], ['???', 'majority', 'unknown'], [
      'u', 'majority', 'up',
    ], ['d', 'majority', 'down'], ['ud', 'majority', 'up'], ['dd', 'majority', 'down'],
    ['udd', 'majority', 'down'], [
      'uud', 'majority', 'up',
    ], ['?dd', 'majority', 'down'], ['?ud', 'majority', 'up'], ['??d', 'majority', 'short'],
    ['?d', 'majority', 'short'], ['?u', 'majority', 'up'], ['?d', 'any', 'down'], ['?d', 'all', 'down'],
    ['?d', 2, 'unknown'], ['?u', 2, 'unknown'], ['d', 1, 'down'], ['??dd', 3, 'unknown'],
    ['uud', 'any', 'down'], [
      'udd', 'all', 'up',
    ], ['ddd', 'all', 'down'], ['?dd', 'all', 'down'], ['uuudd', 2, 'down'], ['uuuud', 2, 'up'],
    ['sss', 'majority', 'degraded'], ['suu', 'majority', 'up'], ['ssu', 'majority', 'degraded'],
    ['su', 'majority', 'up'], ['ssd', 'majority', 'degraded'],
  ] as [string, MonitorConfig['quorum'], string][])('%s by %s is %s', (letters, quorum, verdict) => {
    expect(verdictOf({ config: configOf({ quorum }), regions: regionsOf(letters) })).toBe(verdict);
  });

  test('counts only selected regions', () => {
    const [named, assigned] = [{ monitoring_regions: ['r0'] }, { assigned: ['r0'] }];
    for (const chosen of [named, assigned]) {
      const config = configOf({ quorum: 'any', ...chosen });
      expect(verdictOf({ config, regions: regionsOf('ud') })).toBe('up');
    }
  });
});
