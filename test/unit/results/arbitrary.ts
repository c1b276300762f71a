import fc from 'fast-check';
import { ERROR_TYPES, MISSED_REASONS } from '../../../shared/contracts/result.ts';
import type { StoredResult } from '../../../controller/results/hours/stored-result.ts';
import { HOUR } from './build.ts';

const tenths = (max: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: max * 10 }).map((value) => value / 10);
const phase = fc.option(tenths(60_000), { nil: undefined });
const timings = fc.record({ dns: phase, connect: phase, tls: phase, first_byte: phase, transfer: phase })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, ms]) => ms !== undefined)));

/** Any row that a block can store. */
export const storedResult: fc.Arbitrary<StoredResult> = fc.record({
  region: fc.constantFrom('eu-west', 'us-east', 'ap'),
  probe_id: fc.constantFrom('0193aaaa', '0193bbbb'),
  scheduled_at: fc.integer({ min: HOUR - 3_600_000, max: HOUR + 7_200_000 }),
  outcome: fc.constantFrom('success' as const, 'failure' as const, 'missed' as const),
  degraded: fc.boolean(),
  reason: fc.constantFrom('schedule' as const, 'confirm' as const, 'manual' as const),
  attempt: fc.integer({ min: 1, max: 16 }),
  late: fc.boolean(),
  response_time_ms: fc.option(tenths(3_600_000)),
  status_code: fc.option(fc.integer({ min: 100, max: 999 })),
  error: fc.option(fc.record({
    type: fc.constantFrom(...ERROR_TYPES), message: fc.string({ unit: 'binary', maxLength: 60 }),
  })),
  missed: fc.option(
    fc.record({ reason: fc.constantFrom(...MISSED_REASONS), count: fc.integer({ min: 1, max: 10_000 }) }),
  ),
  timings: fc.option(timings),
}).chain((row) => fc.record({
  lateness: fc.integer({ min: -5000, max: 600_000 }),
  received: fc.option(fc.record({ at: fc.nat(2 ** 42), epoch: fc.uuid() }), { nil: undefined }),
}).map(({ lateness, received }) => (
  { ...row, started_at: row.scheduled_at + lateness, ...(row.late && received ? { received } : {}) }
)));
