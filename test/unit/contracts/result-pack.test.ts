import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DROP_REASONS, ERROR_TYPES, MAX_SEQ, LATEST_INSTANT_MS, MISSED_REASONS, type CheckResult, type ResultBatch,
} from '../../../shared/contracts/result.ts';
import { decodeBatch, encodeBatch, readLaneHeader } from '../../../shared/contracts/result-pack.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

/** Durations have a resolution of 0.1 ms. */
const durationMs = fc.integer({ min: 0, max: 36_000_000 }).map((tenths) => tenths / 10);
const instant = fc.integer({ min: 0, max: LATEST_INSTANT_MS });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const shortText = (maxLength: number) =>
  fc.string({ maxLength, unit: 'grapheme' }).filter((value) => value.length <= maxLength);

const row: fc.Arbitrary<Omit<CheckResult, 'seq'>> = fc.record({
  monitor_id: fc.uuid(),
  assignment_rev: fc.integer({ min: 1, max: 1_000_000 }),
  attempt: fc.integer({ min: 1, max: 16 }),
  reason: fc.constantFrom('schedule', 'confirm', 'manual'),
  scheduled_at: instant,
  started_at: instant,
  response_time_ms: optional(durationMs),
  outcome: fc.constantFrom('success', 'failure', 'missed'),
  degraded: fc.boolean(),
  status_code: optional(fc.integer({ min: 100, max: 999 })),
  error: optional(fc.record({ type: fc.constantFrom(...ERROR_TYPES), message: shortText(1000) })),
  missed: optional(
    fc.record({ reason: fc.constantFrom(...MISSED_REASONS), count: fc.integer({ min: 1, max: 100_000 }) }),
  ),
  timings: optional(fc.record(
    { dns: durationMs, connect: durationMs, tls: durationMs, first_byte: durationMs, transfer: durationMs },
    { requiredKeys: [] },
  )),
  remote_address: optional(fc.constantFrom('203.0.113.9', '2001:db8::1', '198.51.100.7')),
  tls: optional(fc.record({
    valid: fc.boolean(), expires_at: optional(instant), issuer: shortText(256), subject: shortText(256),
    fingerprint256: shortText(128), protocol: shortText(16), valid_from: optional(instant),
    names: fc.array(shortText(253), { maxLength: 50 }), more_names: fc.nat(1_000_000), key: shortText(64),
    problem: optional(fc.record({ code: shortText(64), message: shortText(1000) })),
    weak_signature: fc.constantFrom(null, 'MD5' as const, 'SHA-1' as const),
  })),
  facts: fc.record({
    addresses: fc.array(fc.ipV4(), { maxLength: 32 }), name_servers: fc.array(fc.domain(), { maxLength: 4 }),
    redirects: fc.array(fc.string({ maxLength: 200 }), { maxLength: 3 }),
    headers: fc.record({ server: fc.string({ maxLength: 200 }) }, { requiredKeys: [] }),
  }, { requiredKeys: [] }),
  detail: optional(fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(fc.integer(), fc.string()), { noNullPrototype: true },
  )),
});

const range = fc.oneof(
  { weight: 5, arbitrary: row.map((result) => ({ result })) },
  { weight: 1, arbitrary: fc.record({
    length: fc.integer({ min: 1, max: 100_000 }), reason: fc.constantFrom(...DROP_REASONS),
  }) },
);

/** Valid batches: contiguous results and dropped ranges. */
const ranges =
  fc.tuple(fc.integer({ min: 1, max: MAX_SEQ - 2_000_000 }), fc.array(range, { minLength: 1, maxLength: 20 }));
const batch: fc.Arbitrary<ResultBatch> = ranges.map(([first, parts]) => {
  const made: ResultBatch = { epoch: 'e1', engine: '0.1.0', first, last: first, results: [], dropped: [] };
  let seq = first;
  for (const part of parts) {
    if ('result' in part) made.results.push({ seq, ...part.result });
    else made.dropped.push({ first: seq, last: seq + part.length - 1, reason: part.reason });
    seq += 'result' in part ? 1 : part.length;
  }
  return { ...made, last: seq - 1 };
});

describe('a packed batch', () => {
  test('decodes to the encoded batch', () => {
    fc.assert(fc.property(batch, (made) => {
      expect(decodeBatch(encodeBatch(made))).toEqual(made);
    }), { numRuns: fewOrAll(50, 300) });
  });

  test('has a header that identifies its lane', () => {
    fc.assert(fc.property(batch, (made) => {
      const header =
        made.last - made.first < 1000 ? { epoch: 'e1', first: made.first, last: made.last } : null;
      expect(readLaneHeader(encodeBatch(made))).toEqual(header);
    }), { numRuns: 50 });
  });

  test('is rejected when a byte is missing or added', () => {
    fc.assert(fc.property(batch, fc.nat(), (made, at) => {
      const bytes = encodeBatch(made);
      expect(() => decodeBatch(bytes.subarray(0, at % bytes.length))).toThrow();
      expect(() => decodeBatch(Buffer.concat([bytes, Buffer.from([0])]))).toThrow('bytes after the end');
    }), { numRuns: fewOrAll(25, 100) });
  });

  test('with damaged bytes is rejected, or decodes to another valid batch within the limits', () => {
    fc.assert(fc.property(batch, fc.array(
      fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 },
    ), (made, damage) => {
      const bytes = Buffer.from(encodeBatch(made));
      for (const [at, value] of damage) bytes[at % bytes.length] = value;
      let read: ResultBatch;
      try {
        read = decodeBatch(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        return;
      }
      expect(decodeBatch(encodeBatch(read))).toEqual(read);
    }), { numRuns: fewOrAll(80, 500) });
  });

  test('of random bytes is rejected', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(() => decodeBatch(bytes)).toThrow();
      expect(() => decodeBatch(Buffer.concat([Buffer.from([1]), bytes]))).toThrow();
      readLaneHeader(bytes);
    }), { numRuns: fewOrAll(50, 300) });
  });

  test('with a seq beyond the maximum is rejected, in its header too', () => {
    const made = (first: number, last: number): ResultBatch =>
      ({ epoch: 'e', engine: '', first, last, results: [], dropped: [{ first, last, reason: 'trimmed' }] });
    expect(decodeBatch(encodeBatch(made(1, MAX_SEQ))).last).toBe(MAX_SEQ);
    for (const [first, last] of [
      [1, MAX_SEQ + 1], [1, 2 ** 53 - 2], [2 ** 53 - 1, 2 ** 53 - 1], [MAX_SEQ, MAX_SEQ + 1],
    ] as const) {
      expect(() => decodeBatch(encodeBatch(made(first, last)))).toThrow('a seq is out of range');
      expect(readLaneHeader(encodeBatch(made(first, last)))).toBeNull();
    }
  });

  test.each([
    ['40,000 levels deep', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
    ['one level too deep', `${'{"a":'.repeat(9)}1${'}'.repeat(9)}`],
    ['too long', JSON.stringify({ a: 'x'.repeat(4096) })],
  ])('with a detail %s is rejected', (_what, detail) => {
    const long = '#'.repeat(detail.length);
    const [{ facts: _facts, ...plain }] = fc.sample(row, { numRuns: 1, seed: 1 }) as [Omit<CheckResult, 'seq'>];
    const result: CheckResult = { ...plain, seq: 1, error: null, missed: null, tls: null, detail: { long } };
    const whole = { epoch: 'e', engine: '', first: 1, last: 1, results: [result], dropped: [] };
    const extras = JSON.stringify({ detail: { long } });
    const bytes = Buffer.from(encodeBatch(whole));
    const from = bytes.indexOf(extras);
    bytes.fill(' ', from, from + extras.length);
    bytes.write(`{"detail":${detail}}`, from);
    expect(() => decodeBatch(bytes)).toThrow('detail is limited to 8 levels and 4096 characters');
  });

  test('takes about 40 bytes for a plain result', () => {
    const results = Array.from({ length: 100 }, (_, index): CheckResult => ({
      seq: index +
        1, monitor_id: '0199f0a2-7c11-7d3e-8a55-3f1f0c9b2a10', assignment_rev: 3, attempt: 1, reason: 'schedule', scheduled_at: 1.76e12 + index * 137,
      started_at: 1.76e12 + index * 137 +
        2, response_time_ms: 87.4, outcome: 'success', degraded: false, status_code: 200, error: null, missed: null,
      timings: { dns: 1.2, connect: 10.1, tls: 22, first_byte: 50.3, transfer: 3.8 },
      remote_address: '203.0.113.9', tls: null, detail: null,
    }));
    expect(
      encodeBatch({ epoch: 'e1', engine: '0.1.0', first: 1, last: 100, results, dropped: [] }).length,
    ).toBeLessThan(4000);
  });
});

describe('a batch in JSON', () => {
  const result = {
    seq: 1, monitor_id: '0199f0a2-7c11-7d3e-8a55-3f1f0c9b2a10', assignment_rev: 1, attempt: 1,
    reason: 'schedule',
    scheduled_at: 5, started_at: 6, response_time_ms: 1, outcome: 'success', degraded: false,
  };
  const bytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
  const made = (...seqs: number[]) =>
    ({ v: 1, epoch: 'e', results: seqs.map((seq) => ({ ...result, seq })) });

  for (const [name, value, complaint] of [
    ['a hole', made(1, 3), 'seq 2 is missing'],
    ['a duplicate number', made(1, 1), 'seqs are out of order'],
    ['another order', made(2, 1), 'is missing'],
    ['nothing', made(), 'an empty batch'],
    ['another version', { ...made(1), v: 2 }, 'expected 1'],
    [
      'an operator for a number', { ...made(1), results: [{ ...result, seq: { $gt: 0 } }] },
      'expected number',
    ],
    ['an epoch that stores would change', { ...made(1), epoch: '\ud800' }, 'pattern'],
    [
      'an instant past all calendars',
      { ...made(1), results: [{ ...result, scheduled_at: LATEST_INSTANT_MS + 1 }] }, 'Too big',
    ],
    ['a monitor id that is not a UUID', { ...made(1), results: [{ ...result, monitor_id: '../x' }] }, 'pattern'],
  ] as const) {
    test(`with ${name} is rejected`, () => {
      expect(() => decodeBatch(bytes(value))).toThrow(complaint);
    });
  }

  test('with an invalid result still has a readable lane', () => {
    expect(readLaneHeader(bytes({ ...made(4, 5), results: [{ seq: 4, outcome: 7 }, { seq: 5 }] }))).toEqual({
      epoch: 'e', first: 4, last: 5,
    });
    expect(readLaneHeader(bytes({ epoch: 'e', results: [{ seq: 0 }] }))).toBeNull();
    expect(readLaneHeader(bytes(made(1, 5000)))).toBeNull();
    expect(readLaneHeader(Buffer.from('{"epoch":'))).toBeNull();
  });
});
