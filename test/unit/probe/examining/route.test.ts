import { describe, expect, test } from 'vitest';
import { LargePackets } from '../../../../probe/examining/large-packets.ts';
import { Route } from '../../../../probe/examining/route.ts';

const silent = (ttl: number) => ({ ttl, address: null, rtt_ms: null });

describe('a route', () => {
  test('ends at the target, although packets with a higher TTL reach it too', () => {
    const route = new Route();
    route.record(5, 'target', '203.0.114.9', 30);
    route.record(1, 'router', '10.0.0.1', 1.234567);
    route.record(4, 'target', '203.0.114.9', 31);
    route.record(3, 'router', '10.0.0.3', 20);
    expect(route.hops()).toEqual([
      { ttl: 1, address: '10.0.0.1', rtt_ms: 1.23 }, silent(2), { ttl: 3, address: '10.0.0.3', rtt_ms: 20 },
      { ttl: 4, address: '203.0.114.9', rtt_ms: 31 },
    ]);
    expect([route.isComplete, route.isKnown, route.silentTtls]).toEqual([true, false, [2]]);
    route.record(2, 'router', '10.0.0.2', null);
    expect(route.isKnown).toBe(true);
  });

  test('ends at a router that does not forward, without being complete', () => {
    const route = new Route();
    route.record(1, 'router', '10.0.0.1', 1);
    for (const ttl of [2, 3, 4]) route.record(ttl, 'refuser', '10.0.0.2', 2);
    expect(route.hops().map(({ address }) => address)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect([route.isComplete, route.isKnown, route.endTtl]).toEqual([false, true, 2]);
  });

  test('shows a router once that reports the end of a TTL and refuses what it should forward', () => {
    const route = new Route();
    route.record(1, 'router', '10.0.0.1', 1);
    route.record(2, 'refuser', '10.0.0.1', 1);
    expect(route.hops().map(({ ttl, address }) => [ttl, address])).toEqual([[1, '10.0.0.1']]);
  });

  test('goes on to a target behind a router that refuses some packets', () => {
    const route = new Route();
    route.record(2, 'refuser', '10.0.0.2', 2);
    route.record(4, 'target', '203.0.114.9', 5);
    expect([route.isComplete, route.endTtl, route.hops().length]).toEqual([true, 4, 4]);
  });

  test('shows five silent hops behind the last one that responded, and tries them again', () => {
    const route = new Route();
    expect(route.hops()).toEqual([1, 2, 3, 4, 5].map(silent));
    route.record(3, 'router', '10.0.0.3', 3);
    expect(route.hops()).toHaveLength(8);
    expect(route.silentTtls).toEqual([1, 2, 4, 5, 6, 7, 8]);
    expect(route.isKnown).toBe(false);
  });

  test('shows a router that only refuses an echo request, unless it or another one is known there', () => {
    const route = new Route();
    route.record(1, 'router', '10.0.0.1', 1);
    route.recordIfNew(2, '10.0.0.1');
    route.recordIfNew(1, '10.0.0.2');
    route.recordIfNew(3, '10.0.0.3');
    expect(route.hops().slice(0, 3).map(({ address }) => address)).toEqual(['10.0.0.1', null, '10.0.0.3']);
    expect(route.endTtl).toBe(Infinity);
  });

  test('has at most 30 hops, whatever responds', () => {
    const route = new Route();
    for (const ttl of [-1, 0, 28, 31, 500]) route.record(ttl, 'router', '10.0.0.28', 1);
    expect(route.hops()).toHaveLength(30);
    expect(route.hops().filter(({ address }) => address !== null).map(({ ttl }) => ttl)).toEqual([28]);
  });

  test('keeps the first response of a hop', () => {
    const route = new Route();
    route.record(1, 'router', '10.0.0.1', 1);
    route.record(1, 'router', '10.0.0.2', 2);
    expect(route.hops()[0]).toEqual({ ttl: 1, address: '10.0.0.1', rtt_ms: 1 });
  });
});

test.each([
  ['arrive', ['small', 'large']], ['lost', ['small']], ['unknown', []],
] as const)('large packets %s if echo requests get these responses: %j', (verdict, responses) => {
  const large = new LargePackets();
  large.onSent();
  for (const size of responses) large.onResponse(size);
  expect(large.verdict).toBe(verdict);
});

test('large packets that a router reports as too large arrive, because senders then use smaller ones', () => {
  const large = new LargePackets();
  large.onSent();
  large.onResponse('small');
  large.onTooLarge();
  expect([large.verdict, large.isDecided]).toEqual(['arrive', true]);
});

test('large packets that this machine cannot send are unknown', () => {
  const large = new LargePackets();
  large.onResponse('small');
  expect(large.verdict).toBe('unknown');
});
