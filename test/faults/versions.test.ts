import { rmSync } from 'node:fs';
import { afterAll, afterEach, expect } from 'vitest';
import { until } from '../helpers/until.ts';
import { fault, longFault, type Outcome } from './fault.ts';
import { Load } from './load.ts';
import { Parts } from './parts.ts';
import { countResults, toOutcome } from './tally.ts';
import { baselineProgram, NEXT } from './versions.ts';

const programs: string[] = [];

let load: Load<Parts> | null = null;
afterEach(() => load?.stop());
afterAll(() => programs.forEach((program) => rmSync(program, { force: true })));

/** The baseline's program, which is removed at the end; null in a clone without that commit. */
async function baseline(process: 'controller' | 'probe'): Promise<string | null> {
  const program = await baselineProgram(process);
  if (program !== null) programs.push(program);
  return program;
}

/** Monitors in these regions are up, and an outage of each is one incident. */
async function works(of: Load<Parts>, regions: readonly string[]): Promise<void> {
  const ids: string[] = [];
  for (const region of regions) {
    const path = `/${region}`;
    const id = await of.createMonitor(path, { monitoring_regions: [region], confirmation_policy: { retries: 0 } });
    ids.push(id);
    await until(async () => (await of.statusOf(id)) === 'up', { what: `up in ${region}` });
    of.target.respondWith({ status: 503 }, path);
    await until(() => of.alertsOf(id).length === 1, { what: 'monitor.down' });
    of.target.respondWith({ status: 200 }, path);
    await until(() => of.alertsOf(id).length === 2, { what: 'monitor.up' });
    expect(of.alertsOf(id).map(({ event }) => event)).toEqual(['monitor.down', 'monitor.up']);
  }
  expect((await of.incidents(ids)).map(({ status }) => status)).toEqual(ids.map(() => 'resolved'));
}

async function outcome(of: Load<Parts>, more = ''): Promise<Outcome> {
  const results = await countResults(of);
  const outages = of.ids.filter((id) => of.alertsOf(id).length > 0).length;
  return toOutcome({
    injected: 1, results, incidents: { expected: outages, opened: outages },
    alerts: { expected: 2 * outages, delivered: 2 * outages, repeated: 0 },
  }, more);
}

fault('F38', 'probes of the next version and of the baseline, with a controller of this version', async () => {
  load = await Load.on(Parts.start());
  programs.push(await NEXT.probe());
  await load.farwatch.probe(load.session, 'next', { program: programs.at(-1) });
  await works(load, ['next']);
  const program = await baseline('probe');
  if (program === null) return outcome(load, 'this clone lacks the baseline');
  await load.farwatch.probe(load.session, 'baseline', { program });
  await works(load, ['baseline']);
  return outcome(load);
});

fault('F38', 'a controller of the next version, with a new check type, and a probe of this one', async () => {
  programs.push(await NEXT.controller());
  load = await Load.on(Parts.start({ program: programs.at(-1) }));
  const { farwatch, session } = load;
  await farwatch.probe(session, 'present');
  const id = await load.createMonitor('/new', { type: 'ICMP', target: '127.0.0.1', monitoring_regions: ['present'] });
  await works(load, ['present']);
  const found = await until(async () => {
    const { results } = await session.ok<{ results: { outcome: string; reason: string }[] }>(
      'GET', `/api/monitors/${id}/results?limit=100`,
    );
    // On a busy machine, the probe also reports checks that it could not start in time.
    const started = results.filter(({ reason }) => reason !== 'overload');
    return started.length > 2 && started;
  }, { what: 'three results' });
  const outcomes = new Set(found.map(({ outcome, reason }) => `${outcome} ${reason}`));
  expect(outcomes).toEqual(new Set(['missed unsupported']));
  expect(await load.statusOf(id)).toBe('unknown');
  expect(load.alertsOf(id)).toEqual([]);
  return outcome(load, `${found.length} checks of the new type missed as unsupported, 0 down`);
});

longFault('F38', 'a controller of the baseline, with probes of this version', async () => {
  const program = await baseline('controller');
  if (program === null) return 'skipped: this clone lacks the baseline';
  load = await Load.on(Parts.start({ program }));
  await load.farwatch.probe(load.session, 'present');
  await works(load, ['present']);
  return outcome(load);
});
