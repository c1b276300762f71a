import { readFileSync } from 'node:fs';
import { connect, nkeyAuthenticator, type NatsConnection } from 'nats';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { readLaneHeader } from '../../shared/contracts/result-pack.ts';
import { startFaultProxy, startMongoProxy, type FaultProxy } from '../helpers/fault-proxy.ts';
import { passTime } from '../helpers/pass-time.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { Load } from './load.ts';
import { Parts, type ProbePart } from './parts.ts';
import { countResults, repeats, toOutcome } from './tally.ts';

const MONITORS = repeats(10, 60);

let load: Load<Parts>;
let database: FaultProxy;
/** Between the probes of two regions and NATS. */
let natsProxies: FaultProxy[] = [];
let probe: ProbePart;
let spy: NatsConnection;
/** Batches that were sent, by lane and first number. */
const sent = new Map<string, number>();

beforeAll(async () => {
  const throughProxy = async (url: string) => {
    const proxy = await startMongoProxy(url);
    database = proxy;
    return proxy.url;
  };
  load = await Load.on(Parts.start({ throughProxy }));
  const { nats } = load.farwatch;
  natsProxies = await Promise.all([0, 1].map(() => startFaultProxy({ port: Number(new URL(nats.url).port) })));
  probe = await load.farwatch.probe(load.session, 'local', { natsUrl: `nats://127.0.0.1:${natsProxies[0]?.port}` });
  spy = await connect({
    servers: nats.url, tls: null,
    authenticator: nkeyAuthenticator(new TextEncoder().encode(nats.controllerSeed)),
  });
  spy.subscribe('results.>', {
    callback: (_error, { subject, data }) => {
      const header = readLaneHeader(data);
      const name = `${subject} ${header?.epoch} ${header?.first}`;
      sent.set(name, (sent.get(name) ?? 0) + 1);
    },
  });
  await spy.flush();
});
beforeEach(() => sent.clear());
afterEach(() => load.forget());
afterAll(async () => {
  await spy?.close();
  await load?.stop();
  await Promise.all([...natsProxies, database].map((proxy) => proxy?.close()));
});

function rssMb(): number {
  const status = readFileSync(`/proc/${load.farwatch.controller.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

async function spoolDepth(): Promise<number> {
  const path = `/api/probes/${probe.id}`;
  return (await load.session.ok<{ probe: { spool_depth: number } }>('GET', path)).probe.spool_depth;
}

/** Batches sent since the test began, the repeats among them, and the maximum number of times one was sent. */
async function countSent(): Promise<{ batches: number; repeated: number; maxSends: number }> {
  await spy.flush();
  const batches = [...sent.values()].reduce((sum, count) => sum + count, 0);
  return { batches, repeated: batches - sent.size, maxSends: Math.max(...sent.values()) };
}

fault('F12', 'a probe can send but not receive: one direction of its connection to NATS is cut', async () => {
  const [proxy] = natsProxies as [FaultProxy];
  const [id] = await load.steady(MONITORS, 'one-way') as [string];
  const [checks, storedBefore] = [load.countOf(id), await load.checksOf(id)];
  proxy.drop('back');
  await until(() => load.countOf(id) >= checks + repeats(4, 30), { what: 'checks continue' });
  await until(async () => (await spoolDepth()) > 0, { what: 'the spool keeps them' });
  const stored = (await load.checksOf(id)) - storedBefore;
  proxy.heal();
  const results = await countResults(load);
  const { batches, repeated } = await countSent();
  expect(repeated).toBeGreaterThan(0);
  expect(await load.incidents()).toEqual([]);
  return toOutcome({ injected: 1, results, incidents: { expected: 0, opened: 0 } },
    `${repeated} of ${batches} batches sent again; ${stored} results of a monitor stored meanwhile`);
});

fault('F22', 'every command of the controller to the database takes two seconds longer', async () => {
  await load.steady(MONITORS, 'slow');
  const beforeMb = rssMb();
  let peakMb = 0;
  database.delay(1000);
  const slowSeconds = repeats(12, 60);
  for (let second = 0; second < slowSeconds; second += 1) {
    await passTime(1000);
    peakMb = Math.max(peakMb, rssMb());
  }
  database.heal();
  await load.farwatch.ready();
  const results = await countResults(load);
  const { batches, repeated, maxSends } = await countSent();
  // A batch waits two seconds for its response.
  expect(maxSends, 'how often a batch was sent').toBeLessThanOrEqual(slowSeconds / 2 + 3);
  expect(peakMb - beforeMb).toBeLessThan(150);
  expect(await load.incidents()).toEqual([]);
  const growthMb = Math.round(Math.max(0, peakMb - beforeMb));
  return toOutcome({ injected: 1, results, incidents: { expected: 0, opened: 0 } },
    `${repeated} of ${batches} batches were repeats, none came more than ${maxSends} times; `
    + `RSS at most ${growthMb} MB more`);
});

fault('F42', 'a probe is revoked while it is connected and holds unsent results', async () => {
  const { farwatch: parts, session } = load;
  const proxy = natsProxies[1] as FaultProxy;
  const natsUrl = `nats://127.0.0.1:${proxy.port}`;
  const revoked = await parts.probe(session, 'pair', { name: 'revoked', natsUrl });
  await parts.probe(session, 'pair', { name: 'heir' });
  const paths = Array.from({ length: 8 }, (_, at) => `/revoked/${at}`);
  const ids: string[] = [];
  for (const path of paths) ids.push(await load.createMonitor(path, { monitoring_regions: ['pair'] }));
  const checkedBy = async (id: string) => {
    const { results } = await session.ok<{ results: { probe_id: string; checked_at: number }[] }>(
      'GET', `/api/monitors/${id}/results?limit=50`,
    );
    return results.filter(({ probe_id: by }) => by === revoked.id);
  };
  await until(async () => (await Promise.all(ids.map(checkedBy))).some((results) => results.length > 0), {
    what: 'it checks some of them', everyMs: 250,
  });
  const counted = await Promise.all(ids.map(checkedBy));
  const own = ids.filter((_id, at) => (counted[at]?.length ?? 0) > 0);
  const log = revoked.log.length;
  proxy.drop('out');
  const cutAt = Date.now();
  const seen = load.countOf(own[0] as string);
  await until(() => load.countOf(own[0] as string) >= seen + 2, { what: 'results that cannot be sent' });
  const revokedAt = performance.now();
  await session.ok('DELETE', `/api/probes/${revoked.id}`);
  await revoked.waitForOutput('NATS link down', log);
  const goneMs = performance.now() - revokedAt;
  proxy.heal();
  await revoked.waitForOutput('NATS rejects this probe', log);
  const others = own.map((id) => load.countOf(id));
  await until(() => own.every((id, at) => load.countOf(id) >= (others[at] ?? 0) + 2), {
    what: 'the other probe checks',
  });
  await revoked.end('SIGKILL');
  for (const id of own) {
    const late = (await checkedBy(id)).filter(({ checked_at: at }) => at > cutAt);
    expect(late).toEqual([]);
    expect(await load.statusOf(id)).toBe('up');
  }
  expect(await load.incidents()).toEqual([]);
  return toOutcome({ injected: 1, incidents: { expected: 0, opened: 0 }, deaths: await parts.deaths() },
    `gone after ${Math.round(goneMs)} ms; ${own.length} monitors moved, 0 results taken from it afterwards`);
});
