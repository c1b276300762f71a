import { expect } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { MAX_BATCH_RESULTS } from '../../shared/contracts/result.ts';
import type { Attack } from './attack.ts';
import { fault } from './fault.ts';
import { repeats, toOutcome } from './tally.ts';
import { checked } from './sender.ts';
import { shardMap } from '../helpers/shard-map.ts';

/** A probe sends far more results than a monitor can produce. */
export function fatHour(on: { readonly attack: Attack }): void {
  const RESULTS = repeats(3200, 18_000);
  /** Limit of a 60-second monitor with one recheck: 2 probes, 61 slots, 3 attempts, and 500 manual runs. */
  const ALLOWED = 2 * 61 * 3 + 500;
  /** Batches that are sent before the first response; a few more wait. */
  const CONCURRENT_BATCHES = 8;

  fault('F52', `a probe sends ${RESULTS} results of one monitor and hour, with long messages`, async () => {
    const id = await on.attack.bait('Fat');
    const shard = shardMap.of(id);
    const now = Date.now();
    let first = 1;
    for (let sent = 0; sent < RESULTS; sent += CONCURRENT_BATCHES * MAX_BATCH_RESULTS) {
      const batches = Array.from({ length: CONCURRENT_BATCHES }, () => {
        const results = Array.from({ length: MAX_BATCH_RESULTS }, (_, at) => ({
          ...checked(id, now + at, false), seq: first + at,
          error: { type: 'status_code' as const, message: `${first + at} ${'x'.repeat(300)}` },
        }));
        const batch = { epoch: 'fat', engine: 'test', first, last: first + results.length - 1, results, dropped: [] };
        first += results.length;
        return { last: batch.last, bytes: encodeBatch(batch) };
      });
      for (let left = batches; left.length > 0;) {
        const marks = await Promise.all(left.map(({ bytes }) => on.attack.send(shard, bytes, 2000)));
        left = left.filter(({ last }, at) => (marks[at] ?? 0) < last);
      }
    }
    const stored = Number((await on.attack.session.ok<{ total_checks: number }>(
      'GET', `/api/monitors/${id}/stats`,
    )).total_checks);
    expect(stored).toBeGreaterThanOrEqual(ALLOWED);
    // Batches in transit when the hour became full are still accepted.
    expect(stored).toBeLessThan(ALLOWED + CONCURRENT_BATCHES * MAX_BATCH_RESULTS);
    const letters = await on.attack.documents('dead_letters', { reason: 'too_many' });
    expect(letters.every(({ monitor_id }) => monitor_id === id)).toBe(true);
    expect(letters).toHaveLength(1000);
    return toOutcome({ injected: RESULTS, ...await on.attack.expectUnharmed('fat') },
      `${stored} stored, ${RESULTS - stored} refused`);
  });
}
