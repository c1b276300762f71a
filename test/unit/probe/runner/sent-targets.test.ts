import { expect, test } from 'vitest';
import type { LazyTargetFacts } from '../../../../probe/checks/check.ts';
import { type NameServersOf, SentTargets } from '../../../../probe/runner/sent-targets.ts';
import { randomOf } from '../../../helpers/random-of.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function target(nameAddresses: string[], response: number | null = null): LazyTargetFacts {
  return {
    name: nameAddresses.length > 0 ? 'shop.test' : null, nameAddresses, responseHash: response,
    responseFacts: () => ({ redirects: [], headers: { server: `version ${response}` } }),
  };
}

test('facts are sent when one of them is new, all together', () => {
  const sent = new SentTargets(() => null);
  const response = (version: number) => ({ redirects: [], headers: { server: `version ${version}` } });
  expect(sent.take('a', target(['2', '1'], 7), 0)).toEqual({ addresses: ['1', '2'], ...response(7) });
  expect(sent.take('a', target(['1', '2'], 7), 1)).toBeNull();
  expect(sent.take('a', target(['1', '2'], 8), 2)).toEqual({ addresses: ['1', '2'], ...response(8) });
  expect(sent.take('a', target(['3', '1'], null), 3)).toEqual({ addresses: ['1', '3'] });
  expect(sent.take('a', target(['2', '3'], 7), 4)).toBeNull();
  expect(sent.take('b', target([], 0), 4)).toEqual(response(0));
});

test('a target without a name and without a response has none', () => {
  const sent = new SentTargets(() => null);
  expect(sent.take('a', target([]), 0)).toBeNull();
});

test('facts are repeated after a week, and for a changed assignment', () => {
  const sent = new SentTargets(() => null);
  const isSent = (atMs: number) => sent.take('a', target(['1']), atMs) !== null;
  expect([isSent(0), isSent(7 * DAY_MS - 1), isSent(7 * DAY_MS), isSent(7 * DAY_MS + 1)]).toEqual([true, false, true, false]);
  sent.forget('a');
  expect(isSent(7 * DAY_MS + 2)).toBe(true);
});

test('name servers are sent once they are known, and when they change', () => {
  let zone: ReturnType<NameServersOf> = null;
  const sent = new SentTargets(() => zone);
  const take = () => sent.take('a', target(['1']), 0)?.name_servers;
  expect(take()).toBeUndefined();
  zone = { servers: ['ns1'], hash: 1 };
  expect([take(), take()]).toEqual([['ns1'], undefined]);
  zone = { servers: ['ns2'], hash: 2 };
  expect(take()).toEqual(['ns2']);
});

test('responses that all differ are sent six times an hour, and do not delay an address', () => {
  const sent = new SentTargets(() => null);
  let count = 0;
  for (let nth = 0; nth < 60; nth += 1) if (sent.take('a', target(['1'], nth), nth * 1000)) count += 1;
  expect(count).toBe(6);
  expect(sent.take('a', target(['2'], 99), 60_000)?.addresses).toEqual(['2']);
});

test('a pool of addresses is sent until all are known, and then no more', () => {
  const sent = new SentTargets(() => null);
  const random = randomOf(1);
  const pool = Array.from({ length: 200 }, (_, nth) => `10.0.0.${nth}`);
  const counts: number[] = [];
  for (let day = 0; day < 4; day += 1) {
    let count = 0;
    for (let check = 0; check < 1440; check += 1) {
      const set = Array.from({ length: 4 }, () => pool[Math.floor(random() * pool.length)] as string);
      if (sent.take('a', target(set), day * DAY_MS + check * 60_000)) count += 1;
    }
    counts.push(count);
  }
  expect(counts[0]).toBeLessThan(150);
  expect(counts.slice(1)).toEqual([0, 0, 0]);
});
