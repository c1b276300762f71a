import { readdirSync } from 'node:fs';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { afterEach, expect } from 'vitest';
import { startMongoProxy, type FaultProxy } from '../helpers/fault-proxy.ts';
import { readLedger, storeUrl } from '../helpers/ledger.ts';
import { passTime } from '../helpers/pass-time.ts';
import { kindsOf, startRequestLoop } from '../helpers/request-loop.ts';
import { until } from '../helpers/until.ts';
import { requestMonitors } from './database-kills.ts';
import { longFault } from './fault.ts';
import { Load } from './load.ts';
import { Parts, type Part } from './parts.ts';
import { countResults, toOutcome } from './tally.ts';

let load: Load<Parts>;
let database: FaultProxy;
let crowd: Crowd | null = null;
afterEach(async () => {
  crowd?.leave();
  await load?.stop();
  await database?.close();
});

/** Open files that each part may have: a few more than it needs. */
const limited = (files: number) => ['prlimit', `--nofile=${files}`];
const CONTROLLER_FILES = 128;
const DATABASE_FILES = 128;
const PROBE_FILES = 48;
const CROWD_MS = 8000;

/** Connections that say nothing. Whenever one is closed, another takes its place. */
class Crowd {
  readonly #sockets = new Set<Socket>();
  #hasLeft = false;

  constructor(to: NetConnectOpts, count: number) {
    for (let at = 0; at < count; at += 1) this.#join(to);
  }

  leave(): void {
    this.#hasLeft = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(to: NetConnectOpts): void {
    if (this.#hasLeft) return;
    const socket = connect(to);
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => this.#join(to), 100);
    });
  }
}

const openFiles = ({ pid }: Part): number => readdirSync(`/proc/${pid}/fd`).length;

longFault('F44', 'file descriptors run out in the controller, the database and the probe, one after another', async () => {
  load = await Load.on(Parts.start({
    within: { controller: limited(CONTROLLER_FILES), database: limited(DATABASE_FILES) },
    throughProxy: async (url) => {
      const proxy = await startMongoProxy(url);
      database = proxy;
      return proxy.url;
    },
  }));
  const { farwatch: parts, session } = load;
  const probe = await parts.probe(session, 'local', { within: limited(PROBE_FILES) });
  const [steady = ''] = await load.steady(10, 'files');
  const id = await load.createMonitor('/outage', { confirmation_policy: { retries: 0 } });
  await until(async () => (await load.statusOf(id)) === 'up', { what: 'up' });
  const requestLoop = startRequestLoop(() => requestMonitors(load).catch(() => ({ status: 0, code: null })));
  const recoveryMs: number[] = [];
  const crowds: [Part, NetConnectOpts, number][] = [
    [parts.controller, { host: '127.0.0.1', port: Number(new URL(parts.url).port) }, CONTROLLER_FILES],
    [parts.database, { path: decodeURIComponent(/\/\/([^/?]+)/.exec(storeUrl(parts.database.log))?.[1] ?? '') }, DATABASE_FILES],
  ];
  for (const [round, [part, to, limit]] of crowds.entries()) {
    crowd = new Crowd(to, 3 * limit);
    await until(() => openFiles(part) >= limit - 2, { what: 'all file descriptors are taken' });
    database.reset();
    load.target.respondWith({ status: 503 }, '/outage');
    const checked = load.countOf(steady);
    await passTime(CROWD_MS);
    expect(load.countOf(steady) - checked, 'checks continue').toBeGreaterThan(CROWD_MS / 2000 - 3);
    crowd.leave();
    const leftAt = performance.now();
    await until(() => load.alertsOf(id).length === 2 * round + 1, { what: 'monitor.down' });
    const stored = await until(() => load.checksOf(steady), { what: 'the API responds', timeoutMs: 60_000 });
    await until(async () => (await load.checksOf(steady)) > stored, { what: 'results are stored' });
    recoveryMs.push(performance.now() - leftAt);
    load.target.respondWith({ status: 200 }, '/outage');
    await until(() => load.alertsOf(id).length === 2 * round + 2, { what: 'monitor.up' });
  }
  const responses = await requestLoop.end();
  expect(kindsOf(responses.filter(({ status }) => status !== 0))).toEqual(['200', '503 SERVICE_UNAVAILABLE']);
  const outages = crowds.length;
  expect(await load.incidents()).toHaveLength(outages);
  const results = await countResults(load);
  const overloaded = await exhaustProbe(probe);
  return toOutcome({
    injected: outages + 1, results, incidents: { expected: outages, opened: outages }, recoveryMs,
    alerts: { expected: 2 * outages, delivered: load.alertsOf(id).length, repeated: 0 },
  }, `${overloaded} checks of the probe missed as overload`);
});

/** The probe has more checks at once than files. Returns how many are missed. */
async function exhaustProbe(probe: Part): Promise<number> {
  const ids: string[] = [];
  for (let at = 0; at < 60; at += 1) {
    ids.push(await load.createMonitor(`/slow/${at}`, { timeout_ms: 2000, confirmation_policy: { retries: 0 } }));
  }
  load.target.respondWith({ status: 200, delayMs: 1500 });
  const missedOf = async () => {
    const { byMonitor } = await readLedger(storeUrl(load.farwatch.database.log));
    return ids.flatMap((id) => byMonitor.get(id) ?? [])
      .reduce((sum, { missed }) => sum + (missed?.reason === 'overload' ? missed.count : 0), 0);
  };
  await until(async () => (await missedOf()) > 100, { what: 'checks are missed', everyMs: 500, timeoutMs: 60_000 });
  const overloaded = await missedOf();
  load.target.respondWith({ status: 200 });
  expect(probe.hasEnded).toBe(false);
  expect(await load.incidents(ids)).toEqual([]);
  await until(async () => (await Promise.all(ids.map((id) => load.statusOf(id)))).every((status) => status === 'up'), {
    what: 'all are up', everyMs: 1000,
  });
  expect(await load.farwatch.deaths()).toBe(0);
  return overloaded;
}
