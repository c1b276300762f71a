import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBlock, encodeBlock } from '../../../controller/results/block-rules.ts';
import { storedResult } from './arbitrary.ts';
import { HOUR, storedOf } from './build.ts';

describe('a block', () => {
  test('gives back what was put in, in order of start', () => {
    fc.assert(fc.property(fc.array(storedResult, { maxLength: 80 }), (rows) => {
      expect(decodeBlock(encodeBlock(rows))).toEqual([...rows].sort((a, b) => a.started_at - b.started_at));
    }), { numRuns: 200 });
  });

  test('of an hour without results is empty', () => {
    expect(decodeBlock(encodeBlock([]))).toEqual([]);
  });

  test('is the same for the same rows, so that a repeated checkpoint writes the same bytes', () => {
    const rows = Array.from({ length: 50 }, (_, at) => storedOf({ started_at: HOUR + at * 1000, scheduled_at: HOUR + at * 1000 }));
    expect(encodeBlock(decodeBlock(encodeBlock(rows)))).toEqual(encodeBlock(rows));
  });

  test('takes about 5 bytes for a result', () => {
    let noise = 1;
    const next = (): number => (noise = (noise * 48_271) % 2_147_483_647) / 2_147_483_647;
    const rows = Array.from({ length: 360 }, (_, at) => storedOf({
      scheduled_at: HOUR + at * 10_000, started_at: HOUR + at * 10_000 + Math.floor(next() * 4), response_time_ms: Math.round(800 + next() * 100) / 10,
    }));
    expect(encodeBlock(rows).length / rows.length).toBeLessThan(5);
  });

  test('of a format that is not known is refused', () => {
    const bytes = encodeBlock([storedOf()]);
    bytes[0] = 2;
    expect(() => decodeBlock(bytes)).toThrow('unknown block format 2');
  });
});
