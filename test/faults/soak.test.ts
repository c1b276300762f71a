import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { startMongoProxy, type FaultProxy } from '../helpers/fault-proxy.ts';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { Load } from './load.ts';
import { Parts, type Part, type ProbePart } from './parts.ts';
import { countResults, SEED, spooledBy, toOutcome, type Results } from './tally.ts';

const MINUTES = Number(process.env['FARWATCH_SOAK_MINUTES'] ?? 0);
/** Then a new installation begins: the journal of an hour is no longer complete. */
const MAX_ROUND_MS = 20 * 60_000;
const MONITORS = 30;
const MAX_FAULT_MS = 6000;
/** Between two faults. */
const MAX_QUIET_MS = 10_000;

let load: Load<Parts> | null = null;
let database: FaultProxy | null = null;
afterEach(stop);

async function stop(): Promise<void> {
  await load?.stop();
  await database?.close();
  [load, database] = [null, null];
}

interface Soak {
  parts: Parts;
  probe: ProbePart;
  proxy: FaultProxy;
  /** The last number of each lane that a killed probe has spooled. */
  spooled: Map<string, number>;
}

async function restart(part: Part, pause: () => Promise<void>, afterEnd?: () => Promise<void>): Promise<void> {
  await part.end('SIGKILL');
  await afterEnd?.();
  await pause();
  // Its supervisor may have been faster.
  await part.end('SIGKILL');
  part.start();
}

const LOST_AT_START = 'The connection to the database was lost while Farwatch was starting';

/** Restarts a controller that gives up because its database goes while it starts, until `isDone`. */
async function supervise(controller: Part, isDone: () => boolean): Promise<void> {
  for (; !isDone(); await passTime(200)) {
    if (controller.deaths === 0) continue;
    const lastLine = controller.log.trim().split('\n').at(-1);
    expect(lastLine, 'why the controller ended').toBe(LOST_AT_START);
    controller.deaths = 0;
    controller.start();
  }
}

async function suspend(pid: number, pause: () => Promise<void>): Promise<void> {
  const isRunning = existsSync(`/proc/${pid}`);
  if (isRunning) process.kill(pid, 'SIGSTOP');
  await pause();
  if (isRunning) process.kill(pid, 'SIGCONT');
}

async function link(proxy: FaultProxy, pause: () => Promise<void>, begin: () => void): Promise<void> {
  begin();
  await pause();
  proxy.heal();
}

/** Each lasts as long as `pause`. */
const FAULTS: Record<string, (soak: Soak, pause: () => Promise<void>) => Promise<void>> = {
  'controller killed': ({ parts }, pause) => restart(parts.controller, pause),
  'database killed': ({ parts }, pause) => restart(parts.database, pause),
  'probe killed': ({ probe, spooled }, pause) => restart(probe, pause, async () => {
    for (const [lane, last] of await spooledBy(join(probe.dataDir, 'spool'), probe.id)) spooled.set(lane, last);
  }),
  'NATS killed': async ({ parts }, pause) => {
    await parts.nats.kill9();
    await pause();
    await parts.nats.restart();
  },
  'NATS emptied': async ({ parts }, pause) => {
    await parts.nats.kill9();
    await pause();
    await parts.nats.restart({ wipe: true });
  },
  'controller suspended': ({ parts }, pause) => suspend(parts.controller.pid, pause),
  'database suspended': ({ parts }, pause) => suspend(parts.database.pid, pause),
  'probe suspended': ({ probe }, pause) => suspend(probe.pid, pause),
  'NATS suspended': ({ parts }, pause) => suspend(parts.nats.pid(), pause),
  'packets to the database dropped': ({ proxy }, pause) => link(proxy, pause, () => proxy.drop('out')),
  'packets from the database dropped': ({ proxy }, pause) => link(proxy, pause, () => proxy.drop('back')),
  'database slow': ({ proxy }, pause) => link(proxy, pause, () => proxy.delay(1000)),
  'connections to the database reset': ({ proxy }, pause) => link(proxy, pause, () => proxy.reset()),
  'connections to the database silenced': ({ proxy }, pause) => link(proxy, pause, () => proxy.mute()),
};

interface Round {
  results: Results;
  /** How often each fault was injected. */
  injected: Map<string, number>;
  outages: number;
  repeated: number;
}

/** Injects random faults for a while, during one outage after another, and counts everything. */
async function soakFor(ms: number, random: () => number): Promise<Round> {
  load = await Load.on(Parts.start({
    throughProxy: async (url) => {
      const proxy = await startMongoProxy(url);
      database = proxy;
      return proxy.url;
    },
  }));
  const on = load;
  const { farwatch: parts } = on;
  const probe = await parts.probe(on.session, 'local');
  const soak: Soak = { parts, probe, proxy: database as unknown as FaultProxy, spooled: new Map() };
  await on.steady(MONITORS, 'soak');
  const id = await on.createMonitor('/outage', { confirmation_policy: { retries: 0 } });
  await until(async () => (await on.statusOf(id)) === 'up', { what: 'up' });
  const endsAt = Date.now() + ms;
  const injected = new Map<string, number>();
  const kinds = Object.keys(FAULTS);
  const inject = async () => {
    while (Date.now() < endsAt) {
      const kind = kinds[Math.floor(random() * kinds.length)] as string;
      const [lastsMs, quietMs] = [random() * MAX_FAULT_MS, random() * MAX_QUIET_MS];
      await FAULTS[kind]?.(soak, () => passTime(lastsMs));
      injected.set(kind, (injected.get(kind) ?? 0) + 1);
      await passTime(quietMs);
    }
  };
  let outages = 0;
  /** Distinct alerts: a killed controller may repeat one. */
  const alerts = () => new Set(on.alertsOf(id).map(({ event, incident }) => `${incident.id} ${event}`)).size;
  const fail = async () => {
    while (Date.now() < endsAt) {
      outages += 1;
      on.target.respondWith({ status: 503 }, '/outage');
      await until(() => alerts() === 2 * outages - 1, { what: 'monitor.down' });
      on.target.respondWith({ status: 200 }, '/outage');
      await until(() => alerts() === 2 * outages, { what: 'monitor.up' });
    }
  };
  let isDone = false;
  const work = Promise.all([inject(), fail()]).then(() => parts.ready()).finally(() => (isDone = true));
  await Promise.all([work, supervise(parts.controller, () => isDone)]);
  expect(await on.incidents()).toHaveLength(outages);
  const repeated = on.alertsOf(id).length - 2 * outages;
  const deaths = ['controller killed', 'controller suspended'].reduce((sum, kind) => sum + (injected.get(kind) ?? 0), 0);
  expect(repeated, 'repeated alerts').toBeLessThanOrEqual(deaths);
  return { results: await countResults(on, soak.spooled), injected, outages, repeated };
}

describe.runIf(MINUTES > 0)('soak', () => {
  fault('F48', `random faults for ${MINUTES} minutes, during one outage after another`, async () => {
    const random = randomOf(SEED);
    const rounds: Round[] = [];
    for (let leftMs = MINUTES * 60_000; leftMs > 0; leftMs -= MAX_ROUND_MS) {
      rounds.push(await soakFor(Math.min(leftMs, MAX_ROUND_MS), random));
      await stop();
    }
    const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0);
    const injectedOf = (kind: string) => sum(({ injected }) => injected.get(kind) ?? 0);
    const outages = sum((round) => round.outages);
    return toOutcome({
      injected: Object.keys(FAULTS).reduce((total, kind) => total + injectedOf(kind), 0),
      results: {
        issued: sum(({ results }) => results.issued), stored: sum(({ results }) => results.stored),
        lost: sum(({ results }) => results.lost), duplicated: sum(({ results }) => results.duplicated),
        slots: {
          due: sum(({ results }) => results.slots?.due ?? 0), unexplained: sum(({ results }) => results.slots?.unexplained ?? 0),
        },
        left: sum(({ results }) => results.left ?? 0), deaths: sum(({ results }) => results.deaths ?? 0),
      },
      incidents: { expected: outages, opened: outages },
      alerts: { expected: 2 * outages, delivered: 2 * outages, repeated: sum((round) => round.repeated) }, seed: SEED,
    }, Object.keys(FAULTS).map((kind) => `${kind} ${injectedOf(kind)}`).join(', '));
  });
});
