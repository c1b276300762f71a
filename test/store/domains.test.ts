import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DomainDoc, Lookup } from '../../controller/domains/domain.ts';
import { DomainLookups, type DomainMonitors } from '../../controller/domains/service.ts';
import { DomainStore } from '../../controller/domains/store.ts';
import { TurnStore } from '../../controller/domains/turn-store.ts';
import { MonitorStore } from '../../controller/monitors/store.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { until } from '../helpers/until.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { shardMap } from '../helpers/shard-map.ts';

const NOW = Date.parse('2026-03-04T05:06:07Z');
const CLAIM_TTL_MS = 300_000;
const FOUND: Lookup = { kind: 'found', source: 'rdap', expires_at: NOW + 1e9, registrar: null };

let server: TestMongo;
let mongo: Mongo;
let store: DomainStore;
let now = NOW;
const clock: Clock = { ...systemClock, now: () => now, monotonic: () => now };
const running: DomainLookups[] = [];

beforeAll(async () => {
  server = await testMongo();
  mongo = checkedMongo(server.url);
  store = new DomainStore(mongo.db);
  await store.ensureIndexes();
});
beforeEach(() => {
  now = NOW;
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await mongo.db.collection('domains').deleteMany({});
});
afterAll(async () => {
  await mongo?.close();
  await server?.stop();
});

interface StartOptions {
  lookUp(domain: string): Promise<Lookup>;
  monitors?: Partial<DomainMonitors>;
  abortLookups?(): Promise<void>;
}

function start({ lookUp, monitors = {}, abortLookups = async () => undefined }: StartOptions): DomainLookups {
  const lookups = new DomainLookups({
    domains: store, turns: new TurnStore(mongo.db), lookUp, abortLookups, clock, log: createLog('test', 'silent'), holder: 'one',
    monitors: { isDomainMonitored: async () => true, rejournalDomain: async () => undefined, ...monitors },
  });
  running.push(lookups);
  lookups.start();
  return lookups;
}

const recordUses = (...names: string[]) => store.recordUses(names, NOW);
const claimOf = (token: string) => ({ token, holder: 'one', life: 'first' });
const find = async (name: string) => (await store.find(name)) as DomainDoc;

describe('a domain', () => {
  test('that several controllers want at the same time is stored once', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => recordUses('one.example', 'one.example', 'two.example')));
    for (const docs of all) expect([...docs.keys()].toSorted()).toEqual(['one.example', 'two.example']);
    expect(await find('one.example')).toMatchObject({ uses: 8, due_at: NOW, status: null, published_expires_at: null });
  });

  test('is claimed by one controller, and settled only while its claim holds', async () => {
    const doc = (await recordUses('one.example')).get('one.example') as DomainDoc;
    const results = await Promise.all(['a', 'b', 'c'].map((token) => store.claim(doc, claimOf(token))));
    const [claimed] = results.filter((claim) => claim !== null) as [DomainDoc];
    expect(results.filter((claim) => claim !== null)).toHaveLength(1);
    expect(await store.settle(doc, { due_at: NOW + 2, failures: 9 })).toBe(false);
    expect(await store.settle(claimed, { due_at: NOW + 1 })).toBe(true);
    expect(await find('one.example')).toMatchObject({ due_at: NOW + 1, failures: 0 });
    expect(await find('one.example')).not.toHaveProperty('claim');
  });

  test('is not removed when a monitor starts to use it meanwhile', async () => {
    const claimed = await store.claim((await recordUses('one.example')).get('one.example') as DomainDoc, claimOf('a'));
    await recordUses('one.example');
    await store.removeUnused(claimed as DomainDoc);
    await store.removeUnused(await find('one.example'));
    expect(await store.find('one.example')).toBeNull();
    expect(claimed?.uses).toBe(1);
  });
});

test('every monitor of a domain, and no other, is marked for its journal', async () => {
  const monitors = new MonitorStore(mongo.db, shardMap);
  await monitors.ensureIndexes();
  const ids = Array.from({ length: 2300 }, (_, index) => newId(NOW + index));
  const docs = ids.map((_id) => ({ _id, domain: 'many.example', revision: 7 }));
  const others = [{ _id: newId(NOW), domain: 'other.example', revision: 7 }, { _id: newId(NOW), revision: 7 }];
  const all = mongo.db.collection<{ _id: string; revision: number; unjournaled?: number }>('monitors');
  await all.insertMany([...docs, ...others]);
  await monitors.rejournalDomain('many.example');
  const marked = await all.find({ unjournaled: { $exists: true } }).toArray();
  expect(marked.map(({ _id }) => _id).toSorted()).toEqual(ids.toSorted());
  expect(marked.every(({ _id, revision, unjournaled }) => revision === 8 && unjournaled === shardMap.of(_id))).toBe(true);
  expect(await monitors.isDomainMonitored('other.example')).toBe(true);
  expect(await monitors.isDomainMonitored('none.example')).toBe(false);
});

describe('lookups', () => {
  test('are at most four at once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `site-${index}.example`);
    await recordUses(...names);
    let [running, maxRunning] = [0, 0];
    start({
      lookUp: async () => {
        maxRunning = Math.max(maxRunning, running += 1);
        await until(() => maxRunning >= 4, { what: 'four are running' });
        running -= 1;
        return FOUND;
      },
    });
    await until(async () => (await store.findMany(names)).every(({ status }) => status === 'ok'), { what: 'all' });
    expect(maxRunning).toBe(4);
  });

  test('of a busy server queue up a second apart without delaying others', async () => {
    const [busy, others] = ['com', 'org'].map((tld) => Array.from({ length: 30 }, (_, index) => `s${index}.${tld}`));
    await recordUses(...busy as string[]);
    await store.recordUses(others as string[], NOW + 1);
    now = NOW + 2;
    const lookups = start({
      lookUp: async (name) => (name.endsWith('.com') ? { kind: 'busy', server: 'rdap.example' } : FOUND),
    });
    await until(async () => (await store.findMany(others as string[])).every(({ status }) => status === 'ok'), {
      what: 'the others are found',
    });
    const times = (await store.findMany(busy as string[])).map(({ due_at: at }) => at).toSorted((a, b) => a - b);
    expect(times).toEqual(times.map((_, index) => now + (index + 1) * 1000));
    expect(lookups.counts).toEqual({ found: 30, unsupported: 0, failed: 0, busy: 30 });
  });

  test('update the monitors with a new expiry, again if they were interrupted', async () => {
    await recordUses('one.example');
    const rejournaled: string[] = [];
    let isBroken = true;
    start({
      lookUp: async () => FOUND,
      monitors: {
        rejournalDomain: async (name) => {
          // The data for a monitor's next configuration is written before the monitor is marked.
          expect((await find(name)).expires_at).toBe(NOW + 1e9);
          rejournaled.push(name);
          if (isBroken) throw new Error('the database is away');
        },
      },
    });
    await until(() => rejournaled.length === 1, { what: 'the first attempt' });
    expect(await find('one.example')).toMatchObject({ published_expires_at: null, due_at: NOW, claim: { holder: 'one' } });
    isBroken = false;
    now += CLAIM_TTL_MS;
    await until(async () => (await find('one.example')).published_expires_at === NOW + 1e9, { what: 'the second attempt' });
    now = (await find('one.example')).due_at;
    await until(async () => (await find('one.example')).due_at > now, { what: 'the next day' });
    expect(rejournaled).toEqual(['one.example', 'one.example']);
  });

  test('are left to the claim\'s holder until the claim expires by the local clock', async () => {
    const all = await recordUses('dead.example', 'free.example');
    await store.claim(all.get('dead.example') as DomainDoc, { token: 'a', holder: 'other', life: 'last' });
    start({ lookUp: async () => FOUND });
    await until(async () => (await find('free.example')).status === 'ok', { what: 'the unclaimed domain is looked up' });
    expect((await find('dead.example')).status).toBeNull();
    now += CLAIM_TTL_MS;
    await until(async () => (await find('dead.example')).status === 'ok', { what: 'the claimed domain is looked up' });
  });

  test('that a controller left unfinished run at once after its restart', async () => {
    const all = await recordUses('one.example');
    await store.claim(all.get('one.example') as DomainDoc, { token: 'a', holder: 'one', life: 'last' });
    start({ lookUp: async () => FOUND });
    await until(async () => (await find('one.example')).status === 'ok', { what: 'it is looked up' });
  });

  test('query no server about a domain that no monitor uses', async () => {
    await recordUses('one.example');
    const lookedUp: string[] = [];
    start({
      lookUp: async (name) => {
        lookedUp.push(name);
        return FOUND;
      },
      monitors: { isDomainMonitored: async () => false },
    });
    await until(async () => (await store.find('one.example')) === null, { what: 'it is removed' });
    expect(lookedUp).toEqual([]);
  });

  test('that a stop interrupts are not failures, and due at once', async () => {
    await recordUses('one.example');
    let cutOff: ((lookup: Lookup) => void) | null = null;
    const lookups = start({
      lookUp: () => new Promise((resolve) => {
        cutOff = resolve;
      }),
      abortLookups: async () => cutOff?.({ kind: 'failed', message: 'canceled because Farwatch is stopping' }),
    });
    await until(() => cutOff !== null, { what: 'the lookup' });
    expect(await find('one.example')).toMatchObject({ claim: { holder: 'one' } });
    await lookups.stop();
    expect(await find('one.example')).toMatchObject({ due_at: NOW, failures: 0, status: null });
    expect(await find('one.example')).not.toHaveProperty('claim');
  });
});
