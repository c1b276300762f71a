import { describe, expect, test } from 'vitest';
import type { DomainDoc } from '../../../controller/domains/domain.ts';
import { afterLookup, DAY_MS, nextDailyLookupAt, WEEK_MS } from '../../../controller/domains/lookup-rules.ts';

const NOW = Date.parse('2026-03-04T05:06:07Z');
const HOUR_MS = 3_600_000;

const unknown: DomainDoc = {
  _id: 'example.com', due_at: NOW, uses: 1, failures: 0, published_expires_at: null, status: null, message: null,
  expires_at: null, learned_at: null, registrar: null, source: null, looked_up_at: null,
};
const good = { kind: 'found', source: 'rdap', expires_at: NOW + 90 * DAY_MS, registrar: 'R' } as const;
const lookedUp = { ...unknown, ...afterLookup(unknown, good, NOW) };

describe('a lookup that succeeds', () => {
  test('is repeated the next day, at the domain\'s own time of day', () => {
    expect(lookedUp).toMatchObject({ status: 'ok', message: null, learned_at: NOW, looked_up_at: NOW });
    const next = afterLookup(lookedUp, good, lookedUp.due_at);
    expect(lookedUp.due_at - NOW).toBeGreaterThanOrEqual(DAY_MS / 2);
    expect(next.due_at - lookedUp.due_at).toBe(DAY_MS);
    expect(next.learned_at).toBe(NOW);
  });

  test('stores a new expiry', () => {
    const renewed = { ...good, expires_at: NOW + 400 * DAY_MS };
    expect(afterLookup(lookedUp, renewed, NOW + 5)).toMatchObject({ expires_at: renewed.expires_at, learned_at: NOW + 5 });
  });

  test('without an expiry is repeated after a week', () => {
    const none = afterLookup(unknown, { ...good, expires_at: null }, NOW);
    expect(none).toMatchObject({ status: 'unsupported', registrar: 'R', expires_at: null });
    expect(none.message).toContain('does not publish');
    expect(none.due_at - NOW).toBeGreaterThanOrEqual(WEEK_MS);
  });
});

describe('a lookup that fails', () => {
  test('keeps the known facts and is retried with growing delays', () => {
    let doc = lookedUp;
    const waits: number[] = [];
    for (let at = NOW; waits.length < 8; at = doc.due_at) {
      doc = { ...doc, ...afterLookup(doc, { kind: 'failed', message: 'refused' }, at) };
      waits.push((doc.due_at - at) / HOUR_MS);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 24, 24, 24]);
    expect(doc).toMatchObject({
      status: 'failed', message: 'refused', expires_at: good.expires_at, registrar: 'R', looked_up_at: NOW,
    });
    expect(afterLookup(doc, good, NOW)).toMatchObject({ status: 'ok', message: null, failures: 0 });
  });

  test('includes a response whose expiry is suddenly missing', () => {
    expect(afterLookup(lookedUp, { ...good, expires_at: null }, NOW)).toMatchObject({
      status: 'failed', expires_at: good.expires_at,
    });
  });
});

test('an unsupported domain is retried after a week', () => {
  const outcome = afterLookup(unknown, { kind: 'unsupported', message: 'none' }, NOW);
  expect(outcome).toMatchObject({ status: 'unsupported', message: 'none', looked_up_at: NOW });
  expect(outcome.due_at - NOW).toBeGreaterThanOrEqual(WEEK_MS);
});

test('lookups of domains are spread over the day', () => {
  const hours = new Map<number, number>();
  for (let index = 0; index < 2400; index += 1) {
    const at = nextDailyLookupAt(`site-${index}.example`, NOW);
    expect(at >= NOW && at < NOW + DAY_MS).toBe(true);
    const hour = Math.floor((at % DAY_MS) / HOUR_MS);
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
  }
  expect(hours.size).toBe(24);
  for (const count of hours.values()) expect(count).toBeGreaterThan(50);
});
