import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBlock, encodeBlock } from '../../../controller/results/hours/block-codec.ts';
import { ResultColumns } from '../../../controller/results/hours/result-columns.ts';
import type { StoredResult } from '../../../controller/results/hours/stored-result.ts';
import { storedResult } from './arbitrary.ts';
import { HOUR, storedOf } from './build.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

/** `firstRows` as packed by the first version of the encoder. */
const FIRST_BLOCK = [
  'ASgCCnVzCnByb2JlLTAKZXUKcHJvYmUtMQECCJJJJJJJJJJAAQAY///wAMzkNOSAP//8AAAAAA6mAAAAAAAAAgQOpjKYymMpjKYymMpjKYwCgAEgAAA///wAAAAAAAff//gAAH//+AAA',
  'AAAAD2AAB/ngAAABAgYAMAAAAAABkAMhAH//+AAAAAAAMf///gAAAAAAEvAD///AAAAAAAGPAAAACKQBL/+eBh0vmX/rhyFwb/zR/EkBZ/8MZjMFj5A8paN/zwlbC0A/4oDkzmi/+aJo',
  '/OScAXxO///wAAAAAAANQ///wAAAAAAANQ///wAAAAAAANQ///wAAAAAAANQ///wAAAAAAAew///wAAAAAAANQ///wAAAAAAANQ///wAAAAAAANQABgF7gEdy48N9tdM8scL2rScowgI',
  'ZCmOgikmoqsuwYsmbQAAmgMF1AYZpBVvJdrhxZ2sxpg1Fk3V0cM4tsZsD1ZMoAA8wAF7IjkiOnsiZXJyb3IiOnsidHlwZSI6InN0YXR1c19jb2RlIiwibWVzc2FnZSI6IkV4cGVjdGVk',
  'IDIwMCwgZ290IDUwMyJ9fSwiMTAiOnsiZXJyb3IiOnsidHlwZSI6InN0YXR1c19jb2RlIiwibWVzc2FnZSI6IkV4cGVjdGVkIDIwMCwgZ290IDUwMyJ9fSwiMjAiOnsibWlzc2VkIjp7',
  'InJlYXNvbiI6Im92ZXJsb2FkIiwiY291bnQiOjN9fX0=',
].join('');

function firstRows(): StoredResult[] {
  return Array.from({ length: 40 }, (_, at) => storedOf({
    region: at % 2 ? 'eu' : 'us', probe_id: `probe-${at % 2}`, scheduled_at: HOUR +
      at * 30_000, started_at: HOUR + at * 30_000 + (at * 7) % 5,
    response_time_ms: at === 9 ? null : 80 + (at * 37 % 100) / 10, late: at === 30, degraded: at === 31,
    attempt: at === 10 ? 2 : 1, reason: at === 10 ? 'confirm' : 'schedule',
    ...(at === 9 || at === 10
      ? {
        outcome: 'failure', status_code: at === 10 ? 503 : null,
        error: { type: 'status_code', message: 'Expected 200, got 503' },
      }
      : {}),
    ...(at === 20
      ? {
        outcome: 'missed', status_code: null, response_time_ms: null,
        missed: { reason: 'overload', count: 3 },
      }
      : {}),
    timings: at === 20
      ? null
      : at % 5 === 0
        ? { dns: 1.2, connect: 10 + at / 10 }
        : { connect: 10 + at / 10, tls: 20.5, first_byte: 40 + (at * 13 % 50) / 10, transfer: 3 },
  }));
}

describe('a block', () => {
  test('written by the first version can be read, and its rows still encode to the same bytes', () => {
    const bytes = Buffer.from(FIRST_BLOCK, 'base64');
    expect(decodeBlock(bytes).rows()).toEqual(firstRows());
    expect(Buffer.from(encodeBlock(ResultColumns.of(firstRows()))).toString('base64')).toBe(FIRST_BLOCK);
  });

  test('returns the encoded rows, sorted by start time', () => {
    fc.assert(fc.property(fc.array(storedResult, { maxLength: 80 }), (rows) => {
      expect(decodeBlock(encodeBlock(ResultColumns.of(rows))).rows()).toEqual(
        [...rows].sort((a, b) => a.started_at - b.started_at),
      );
    }), { numRuns: fewOrAll(50, 200) });
  });

  test('for an hour without results decodes to no rows', () => {
    expect(decodeBlock(encodeBlock(ResultColumns.of([]))).rows()).toEqual([]);
  });

  test('has the same bytes for the same rows, so that repeating a write changes nothing', () => {
    const rows = Array.from(
      { length: 50 }, (_, at) => storedOf({ started_at: HOUR + at * 1000, scheduled_at: HOUR + at * 1000 }),
    );
    expect(encodeBlock(decodeBlock(encodeBlock(ResultColumns.of(rows))))).toEqual(
      encodeBlock(ResultColumns.of(rows)),
    );
  });

  test('takes less than 5 bytes per result', () => {
    let noise = 1;
    const next = (): number => (noise = (noise * 48_271) % 2_147_483_647) / 2_147_483_647;
    const rows = Array.from({ length: 360 }, (_, at) => storedOf({
      scheduled_at: HOUR + at * 10_000, started_at: HOUR + at * 10_000 + Math.floor(next() * 4),
      response_time_ms: Math.round(800 + next() * 100) / 10,
    }));
    expect(encodeBlock(ResultColumns.of(rows)).length / rows.length).toBeLessThan(5);
  });

  test('stays small when rows of fast and slow regions alternate, for any number of rows', () => {
    for (let regions = 2; regions <= 6; regions += 1) {
      for (let count = 60; count <= 400; count += fewOrAll(29, 7)) {
        const rows = Array.from({ length: count }, (_, at) => storedOf({
          scheduled_at: HOUR + at * 9000, started_at: HOUR + at * 9000,
          response_time_ms: 20 + (at % regions) * 150 + ((at * 7919) % 40) / 10,
        }));
        expect(
          encodeBlock(ResultColumns.of(rows)).length / count, `${regions} regions, ${count} rows`,
        ).toBeLessThan(7);
      }
    }
  });

  test('in an unknown format is refused', () => {
    const bytes = encodeBlock(ResultColumns.of([storedOf()]));
    bytes[0] = 2;
    expect(() => decodeBlock(bytes)).toThrow('unknown block format 2');
  });
});
