import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Bus } from '../../../controller/platform/bus/bus-port.ts';
import { BusError } from '../../../shared/bus-error.ts';
import { ShardQueries, shardQuery, type ShardQuery } from '../../../controller/results/shards/shard-queries.ts';
import type { ShardView } from '../../../controller/results/shards/shard-message.ts';
import { ActorError } from '../../../shared/actor/actor-ref.ts';
import { createLog } from '../../../shared/log.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { shardMap } from '../../helpers/shard-map.ts';

const SHARD = 3;
const countQuery = shardQuery({
  name: 'open', params: z.object({}), response: z.object({ count: z.number() }),
  needsHours: true,
  fromMemory: () => (held as () => { count: number })(),
});

let clock: SimulatedClock;
let queries: ShardQueries;
/** The local shard's response; null if the shard is not local. */
let held: (() => { count: number }) | null;
/** Another controller's response over the bus. */
let elsewhere: (() => Promise<object>) | null;
let isCurrent: boolean;
/** The local shard is busy with other messages. */
let isBusy: boolean;
/** The local shard has all results of recent hours. */
let isWhole: boolean;
let sent: number;

beforeEach(() => {
  clock = new SimulatedClock();
  [held, elsewhere, isCurrent, isBusy, isWhole, sent] = [null, null, true, false, true, 0];
  const request: Bus['request'] = async (subject) => {
    sent += 1;
    if (elsewhere === null) throw new BusError('no_responders', subject);
    return Buffer.from(JSON.stringify(await elsewhere()));
  };
  const actor = {
    ask: <A>(question: (respond: (value: A) => void) => { read(view: ShardView): void }, timeoutMs?: number) =>
      new Promise<A>((resolve, reject) => {
        if (isBusy) clock.setTimer(timeoutMs ?? Infinity, () => reject(new ActorError('timeout')));
        else question(resolve).read({ isWhole } as ShardView);
      }),
  };
  queries = new ShardQueries({
    clock, shardMap, log: createLog('test', 'silent'), leases: { get areCurrent() { return isCurrent; } }, bus: { request } as Bus,
    shards: { get: () => (held === null ? undefined : actor) },
  });
});

async function outcomeWithin(ms: number, pending: Promise<unknown>): Promise<unknown> {
  const outcome = pending.catch((error: { code?: string }) => error.code);
  await clock.advance(ms);
  return Promise.race([outcome, Promise.resolve('still waiting')]);
}

test.each(['here', 'elsewhere'])('an owner that appears %s during a query responds to it', async (where) => {
  const pending = queries.request(SHARD, countQuery, {});
  expect(await outcomeWithin(2000, pending)).toBe('still waiting');
  if (where === 'here') held = () => ({ count: 40 });
  else elsewhere = async () => ({ count: 40 });
  expect(await outcomeWithin(250, pending)).toEqual({ count: 40 });
});

test('without an owner a query fails after 3 s and about ten attempts', async () => {
  const pending = queries.request(SHARD, countQuery, {});
  expect(await outcomeWithin(2900, pending)).toBe('still waiting');
  expect(await outcomeWithin(400, pending)).toBe('SERVICE_UNAVAILABLE');
  expect(sent).toBeGreaterThan(5);
  expect(sent).toBeLessThan(20);
});

test('a local shard that is busy for 3 s counts as absent', async () => {
  [held, isBusy] = [() => ({ count: 40 }), true];
  expect(await outcomeWithin(1000, queries.requestOnce(SHARD, countQuery, {}))).toBeNull();
  const pending = queries.request(SHARD, countQuery, {});
  expect(await outcomeWithin(2900, pending)).toBe('still waiting');
  expect(await outcomeWithin(400, pending)).toBe('SERVICE_UNAVAILABLE');
});

test('a query that is optional gets null at once', async () => {
  expect(await queries.requestOnce(SHARD, countQuery, {})).toBeNull();
  expect(sent).toBe(1);
});

test('local shards respond to nobody once their leases may have expired', async () => {
  held = () => ({ count: 1 });
  isCurrent = false;
  expect(await queries.respond(SHARD, 'open', Buffer.from('{}'), [countQuery])).toBeNull();
  elsewhere = async () => ({ count: 40 });
  expect(await queries.request(SHARD, countQuery, {})).toEqual({ count: 40 });
  isCurrent = true;
  expect(await queries.request(SHARD, countQuery, {})).toEqual({ count: 1 });
});

test('a query that fails in its shard is not retried', async () => {
  let attempts = 0;
  held = () => {
    attempts += 1;
    throw new Error('a bug');
  };
  await expect(queries.request(SHARD, countQuery, {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(attempts).toBe(1);
});

test('an invalid response counts as none', async () => {
  elsewhere = async () => ({ total: 40 });
  expect(await queries.requestOnce(SHARD, countQuery, {})).toBeNull();
});

test('beyond 500 waiting queries, the rest fail at once', async () => {
  const waiting = Array.from({ length: 500 }, () => queries.request(SHARD, countQuery, {}));
  for (const pending of waiting) pending.catch(() => undefined);
  await clock.advance(10);
  await expect(queries.request(SHARD, countQuery, {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(sent).toBe(501);
  elsewhere = async () => ({ count: 40 });
  await clock.advance(250);
  expect(await Promise.all(waiting)).toEqual(Array(500).fill({ count: 40 }));
  expect(await queries.request(SHARD, countQuery, {})).toEqual({ count: 40 });
});

describe('while the owner reads the results of recent hours', () => {
  beforeEach(() => {
    held = () => ({ count: 40 });
    isWhole = false;
  });

  test('a query that needs them waits, and is answered once they are there', async () => {
    const pending = queries.request(SHARD, countQuery, {});
    expect(await outcomeWithin(2000, pending)).toBe('still waiting');
    isWhole = true;
    expect(await outcomeWithin(250, pending)).toEqual({ count: 40 });
  });

  test('it fails after 3 s, and another controller gets no response', async () => {
    expect(await outcomeWithin(3500, queries.request(SHARD, countQuery, {}))).toBe('SERVICE_UNAVAILABLE');
    const response = queries.respond(SHARD, 'open', Buffer.from('{}'), [countQuery as ShardQuery<unknown, unknown>]);
    await expect(response).rejects.toThrow('still being read');
  });

  test('a query that needs only states is answered', async () => {
    const { needsHours: _needsHours, ...stateQuery } = countQuery;
    expect(await queries.request(SHARD, stateQuery, {})).toEqual({ count: 40 });
  });
});
