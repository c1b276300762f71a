import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { passTime } from '../helpers/pass-time.ts';
import { until } from '../helpers/until.ts';
import { longFault } from './fault.ts';
import { Load } from './load.ts';
import { Parts, type Part } from './parts.ts';
import { countResults, repeats, spooledBy, toOutcome } from './tally.ts';

let load: Load<Parts>;
afterEach(() => load?.stop());

/** The first limit of the heap to try, MB; each next one is lower, until the process dies. */
const CONTROLLER_HEAP = 36;
const PROBE_HEAP = 20;
const STEP = 4;
const TRIAL_MS = 8000;

/** Restarts a part whenever it ends, as its supervisor would, until `stop`. Counts the ends. */
function supervise(part: Part) {
  let [ends, isRunning] = [0, true];
  const done = (async () => {
    while (isRunning) {
      await passTime(200);
      if (!isRunning || !part.hasEnded) continue;
      ends += 1;
      part.start();
    }
  })();
  return {
    ends: () => ends,
    stop: async () => {
      isRunning = false;
      await done;
    },
  };
}

/** Restarts a part with less and less heap, until it has died three times of one limit. */
async function exhaust(part: Part, first: number): Promise<{ heap: number; ends: number }> {
  for (let heap = first; heap > 0; heap -= STEP) {
    await part.end('SIGKILL');
    part.env['NODE_OPTIONS'] = `--max-old-space-size=${heap}`;
    const from = part.log.length;
    part.start();
    const supervisor = supervise(part);
    const hasDied = () => supervisor.ends() > 0 && part.log.slice(from).includes('heap out of memory');
    const didDie = await until(hasDied, { what: 'the memory runs out', timeoutMs: TRIAL_MS }).catch(() => false);
    if (didDie) await until(() => supervisor.ends() > 2, { what: 'it dies again', timeoutMs: 60_000 });
    await supervisor.stop();
    if (didDie) return { heap, ends: supervisor.ends() };
  }
  throw new Error('it has never died');
}

longFault('F43', 'controller and probe have too little memory, and die of it again and again, during an outage', async () => {
  load = await Load.on(Parts.start());
  const { farwatch: parts, session } = load;
  const { controller } = parts;
  const probe = await parts.probe(session, 'local');
  const [steady = ''] = await load.steady(repeats(40, 100), 'memory');
  const id = await load.createMonitor('/outage', { confirmation_policy: { retries: 0 } });
  await until(async () => (await load.statusOf(id)) === 'up', { what: 'up' });
  const spooled = new Map<string, number>();
  const deaths: string[] = [];
  const recoveryMs: number[] = [];
  for (const [part, heap] of [[controller, CONTROLLER_HEAP], [probe, PROBE_HEAP]] as const) {
    const round = recoveryMs.length;
    load.target.respondWith({ status: 503 }, '/outage');
    const found = await exhaust(part, heap);
    await part.end('SIGKILL');
    for (const [lane, last] of await spooledBy(join(probe.dataDir, 'spool'), probe.id)) spooled.set(lane, last);
    deaths.push(`${found.ends} times with ${found.heap} MB`);
    part.deaths = 0;
    delete part.env['NODE_OPTIONS'];
    part.start();
    const startedAt = performance.now();
    await until(() => load.alertsOf(id).length === 2 * round + 1, { what: 'monitor.down', timeoutMs: 60_000 });
    const stored = await until(() => load.checksOf(steady), { what: 'the API responds', timeoutMs: 60_000 });
    await until(async () => (await load.checksOf(steady)) > stored, { what: 'results are stored' });
    recoveryMs.push(performance.now() - startedAt);
    load.target.respondWith({ status: 200 }, '/outage');
    await until(() => load.alertsOf(id).length === 2 * round + 2, { what: 'monitor.up', timeoutMs: 60_000 });
  }
  const rounds = recoveryMs.length;
  expect(await load.incidents()).toHaveLength(rounds);
  const results = await countResults(load, spooled);
  return toOutcome({
    injected: rounds, results, incidents: { expected: rounds, opened: rounds }, recoveryMs,
    alerts: { expected: 2 * rounds, delivered: load.alertsOf(id).length, repeated: 0 },
  }, `died ${deaths.join(' and ')}`);
});
