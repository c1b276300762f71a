import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { excessOf, refusalOf, spanOf, type EvidenceCandidate } from '../../../controller/evidence/rules.ts';

const MINUTE_MS = 60_000;

describe('evidence is refused', () => {
  const sound = { checkedAt: 1e6, at: 1e6, monitor: { deleted_at: null }, isAssigned: true, retentionMs: 5000 };
  test.each([
    [{}, null],
    [{ monitor: undefined }, 'unknown_monitor'],
    [{ monitor: { deleted_at: 5 } }, 'unknown_monitor'],
    [{ isAssigned: false }, 'not_assigned'],
    // Clocks differ by less than a minute.
    [{ checkedAt: 1e6 + MINUTE_MS }, null],
    [{ checkedAt: 1e6 + MINUTE_MS + 1 }, 'future'],
    [{ checkedAt: 1e6 - 5000 }, null],
    [{ checkedAt: 1e6 - 5001 }, 'too_old'],
  ])('%j: %s', (change, expected) => {
    expect(refusalOf({ ...sound, ...change })).toBe(expected);
  });
});

describe('the excess evidence of a monitor', () => {
  const candidate = (region: string, checked_at: number, series = 'one'): EvidenceCandidate =>
    ({ _id: `${region}-${checked_at}`, region, checked_at, series });
  const many = (region: string, from: number, to: number, series?: string) =>
    Array.from({ length: to - from }, (_, index) => candidate(region, from + index, series));
  const remaining = (candidates: EvidenceCandidate[], limit: number): string[] => {
    const gone = new Set(excessOf(candidates, limit));
    return candidates.map(({ _id }) => _id).filter((id) => !gone.has(id)).sort();
  };

  test('is empty up to the limit', () => {
    expect(excessOf([], 5)).toEqual([]);
    expect(excessOf(many('eu', 0, 5), 5)).toEqual([]);
  });

  test('is the oldest, except the first of each series', () => {
    const candidates = [...many('eu', 10, 13, 'first'), ...many('eu', 20, 29, 'second')];
    expect(remaining(candidates, 5)).toEqual(['eu-10', 'eu-20', 'eu-26', 'eu-27', 'eu-28']);
  });

  test('includes old series starts if there are many series: half of what stays is new', () => {
    const flapping = Array.from({ length: 40 }, (_, at) => candidate('eu', 10 + at, `outage ${Math.floor(at / 2)}`));
    expect(remaining(flapping, 6)).toEqual(['eu-44', 'eu-46', 'eu-47', 'eu-48', 'eu-49', 'eu-42'].sort());
  });

  test('is what one region has more than others', () => {
    const candidates = [...many('eu', 10, 13), ...many('us', 50, 90), ...many('ap', 5, 6)];
    expect(remaining(candidates, 8)).toEqual(['ap-5', 'eu-10', 'eu-11', 'eu-12', 'us-50', 'us-87', 'us-88', 'us-89']);
  });

  test('does not depend on the order, has the exact size, and never includes a region\'s newest', () => {
    const candidates = fc.uniqueArray(fc.tuple(
      fc.constantFrom('eu', 'us', 'ap'), fc.nat(200), fc.constantFrom('one', 'two', 'three'),
    ).map(([region, at, series]) => candidate(region, at, series)), { selector: ({ _id }) => _id });
    fc.assert(fc.property(candidates, fc.integer({ min: 3, max: 60 }), (all, limit) => {
      const gone = excessOf(all, limit);
      expect(gone).toHaveLength(Math.max(0, all.length - limit));
      expect(new Set(excessOf(all.toReversed(), limit))).toEqual(new Set(gone));
      for (const region of new Set(all.map((one) => one.region))) {
        const times = all.flatMap((one) => (one.region === region ? one.checked_at : []));
        expect(gone).not.toContain(`${region}-${Math.max(...times)}`);
      }
    }));
  });
});

test('an incident\'s evidence begins one interval before it and ends at its resolution or now', () => {
  expect(spanOf({ started_at: 1000, resolved_at: 5000 }, 60, 9000)).toEqual({ from: 940, to: 5000 });
  expect(spanOf({ started_at: 1000, resolved_at: null }, 60, 9000)).toEqual({ from: 940, to: 9000 });
  expect(spanOf({ started_at: 1000, resolved_at: null }, 60, 900)).toEqual({ from: 940, to: 1000 });
});
