import { describe, expect, test } from 'vitest';
import { tracedPathOf, type ExaminedPath, type Stop } from '../../../shared/traced-path.ts';

const TARGET = '203.0.113.80';

/** Hops with these last numbers of their addresses; null for a silent one. */
const hops = (...lasts: (number | null)[]): ExaminedPath['path'] => lasts.map((last, at) => ({
  ttl: at + 1, address: last === null ? null : `203.0.113.${last}`, rtt_ms: last === null ? null : at + 0.5,
}));
const pathOf = (part: Partial<ExaminedPath>) => tracedPathOf({ sees: 'down', addresses: [TARGET], path: [], ...part });
const shown = (stops: Stop[]) => stops.map((stop) => {
  if (stop.kind === 'silent') return `${stop.from}-${stop.to} silent`;
  return stop.kind === 'hop' ? `${stop.hop.ttl} ${stop.hop.address}` : 'untraced';
});

describe('the path of a region', () => {
  test('ends at the target, whose response is not one of the hops', () => {
    const traced = pathOf({ sees: 'up', path: hops(1, 2, 80) });
    expect(shown(traced.reached)).toEqual(['1 203.0.113.1', '2 203.0.113.2']);
    expect(traced).toMatchObject({ break: null, beyond: [], target: { address: TARGET, rtt_ms: 2.5 } });
  });

  test('shows silent hops in a row as one stop', () => {
    const { reached } = pathOf({ sees: 'up', path: hops(1, null, 3, null, null, null, 7, 80) });
    expect(shown(reached)).toEqual(['1 203.0.113.1', '2-2 silent', '3 203.0.113.3', '4-6 silent', '7 203.0.113.7']);
  });

  test('breaks after the last hop that responded, if the target did not', () => {
    const traced = pathOf({ path: hops(1, null, 3, ...Array.from({ length: 27 }, () => null)) });
    expect(traced).toMatchObject({ break: 'path', target: { address: TARGET, rtt_ms: null } });
    expect(shown(traced.reached)).toEqual(['1 203.0.113.1', '2-2 silent', '3 203.0.113.3']);
    expect(shown(traced.beyond)).toEqual(['4-30 silent']);
  });

  test('breaks nowhere if the check succeeds, even if nothing near the target responds to the trace', () => {
    const traced = pathOf({ sees: 'up', path: hops(1, null, null) });
    expect(traced).toMatchObject({ break: null, beyond: [] });
    expect(shown(traced.reached)).toEqual(['1 203.0.113.1', '2-3 silent']);
  });

  test('breaks at the target if it responds to the trace, but not to the check', () => {
    expect(pathOf({ path: hops(1, 80) })).toMatchObject({ break: 'target', reached: [{ kind: 'hop' }], beyond: [] });
    expect(pathOf({ path: hops(80) })).toMatchObject({ break: 'target', reached: [] });
  });

  test('breaks at the name if it has no address', () => {
    expect(pathOf({ addresses: [] })).toEqual({ reached: [], break: 'name', beyond: [], target: null });
  });

  test('breaks at an unknown place if no hop responded, and has no break if nothing was traced', () => {
    expect(pathOf({ path: hops(null, null) })).toMatchObject({
      break: 'unknown', reached: [{ kind: 'silent', from: 1, to: 2 }], beyond: [],
    });
    for (const sees of ['up', 'down'] as const) {
      expect(pathOf({ sees })).toMatchObject({ break: null, reached: [{ kind: 'untraced' }], target: { address: TARGET } });
    }
  });

  test('takes any of the target’s addresses for the target', () => {
    expect(pathOf({ sees: 'up', addresses: ['2001:db8::1', TARGET], path: hops(1, 80) }).target)
      .toEqual({ address: TARGET, rtt_ms: 1.5 });
    expect(pathOf({ addresses: ['2001:db8::1', TARGET] }).target).toEqual({ address: '2001:db8::1', rtt_ms: null });
  });
});
