import { describe, expect, test } from 'vitest';
import { limitsFor, nextLimit } from '../../../../probe/runner/limits.ts';

describe('the concurrency limits', () => {
  const limits = limitsFor(1_000_000);

  test('grow while the process is punctual and shrink when it is late', () => {
    expect(nextLimit(256, 0, true, limits)).toBe(283);
    expect(nextLimit(256, 0, false, limits)).toBe(256);
    expect(nextLimit(256, 30, true, limits)).toBe(256);
    expect(nextLimit(256, 80, true, limits)).toBe(204);
  });

  test('stay within their bounds', () => {
    let limit = 256;
    for (let turn = 0; turn < 100; turn += 1) limit = nextLimit(limit, 0, true, limits);
    expect(limit).toBe(limits.maxQuick);
    for (let turn = 0; turn < 100; turn += 1) limit = nextLimit(limit, 500, true, limits);
    expect(limit).toBe(limits.minQuick);
  });

  test('leave enough open files for everything else', () => {
    for (const maxFiles of [256, 1024, 65_536]) {
      const { maxQuick, maxSlow, maxOrders } = limitsFor(maxFiles);
      expect(maxQuick + maxSlow + maxOrders).toBeLessThan(maxFiles * 0.85);
    }
  });
});
