import { join } from 'node:path';
import { expect } from 'vitest';
import { until } from '../helpers/until.ts';
import { fault, longFault } from './fault.ts';
import type { Load } from './load.ts';
import type { Parts, ProbePart } from './parts.ts';
import { countResults, repeats, spooledBy, toOutcome } from './tally.ts';

/** In the order of the installation's own start. */
const ROLES = ['nats', 'database', 'controller', 'probe'] as const;
type Role = (typeof ROLES)[number];

/** Records the current content of each probe's spool in `spooled`. */
async function kill9All(
  { nats, database, controller, probes }: Parts, spooled = new Map<string, number>(),
): Promise<void> {
  await Promise.all([nats.kill9(), ...[database, controller, ...probes].map((part) => part.end('SIGKILL'))]);
  for (const { id, dataDir } of probes) {
    for (const [lane, last] of await spooledBy(join(dataDir, 'spool'), id)) spooled.set(lane, last);
  }
}

/** Starts the killed processes with only a moment between them. */
async function startIn(order: readonly Role[], { nats, database, controller, probes }: Parts): Promise<void> {
  for (const role of order) {
    if (role === 'nats') await nats.restart();
    else for (const part of role === 'probe' ? probes : [{ database, controller }[role]]) part.start();
  }
}

function permutations<T>(of: readonly T[]): T[][] {
  if (of.length < 2) return [[...of]];
  const startingWith = (first: T) =>
    permutations(of.filter((one) => one !== first)).map((rest) => [first, ...rest]);
  return of.flatMap(startingWith);
}

/** All orders, or the hardest one: controller and probe first, their dependencies last. */
function someOrders(): Role[][] {
  const hardest: Role[] = ['probe', 'controller', 'nats', 'database'];
  return repeats([hardest], permutations(ROLES));
}

/** All processes end at once. */
export function restarts(on: { readonly load: Load<Parts>; readonly probe: ProbePart }): void {
  fault('F46', 'every process is killed at once and started again in any order, during outages', async () => {
    const { load, probe } = on;
    const { farwatch: parts } = load;
    const [steady] = await load.steady(repeats(8, 20), 'host') as [string];
    const orders = someOrders();
    const outages: string[] = [];
    const recoveryMs: number[] = [];
    const spooled = new Map<string, number>();
    for (const [round, order] of orders.entries()) {
      const path = `/outage/${round}`;
      const id = await load.createMonitor(path, { confirmation_policy: { retries: 0 } });
      outages.push(id);
      await until(async () => (await load.statusOf(id)) === 'up', { what: 'up' });
      load.target.respondWith({ status: 503 }, path);
      await until(() => load.alertsOf(id).length > 0, { what: 'monitor.down' });
      await kill9All(parts, spooled);
      const from = probe.log.length;
      const startedAt = performance.now();
      await startIn(order, parts);
      await probe.waitForOutput('"msg":"connected"', from);
      await parts.ready();
      recoveryMs.push(performance.now() - startedAt);
      const storedBefore = await until(() => load.checksOf(steady), { what: 'the API responds' });
      await until(async () => (await load.checksOf(steady)) > storedBefore, { what: 'results are stored' });
      expect(await load.incidents([id])).toMatchObject([{ status: 'open' }]);
      load.target.respondWith({ status: 200 }, path);
      await until(() => load.alertsOf(id).some(({ event }) => event === 'monitor.up'), { what: 'monitor.up' });
    }
    const incidents = await load.incidents();
    expect(incidents.map(({ check_id: id }) => id).toSorted()).toEqual(outages.toSorted());
    const alertKeys = outages.flatMap((id) => load.alertsOf(id).map(({ event, incident }) => `${event} ${incident.id}`));
    const repeated = alertKeys.length - new Set(alertKeys).size;
    expect(new Set(alertKeys).size).toBe(2 * orders.length);
    expect(repeated).toBeLessThanOrEqual(orders.length);
    const results = await countResults(load, spooled);
    const alerts = { expected: 2 * orders.length, delivered: new Set(alertKeys).size, repeated };
    return toOutcome({
      injected: orders.length, results, alerts, recoveryMs,
      incidents: { expected: orders.length, opened: incidents.length },
    });
  });

  longFault('F37', 'everything restarts at once, with thousands of monitors of one interval', async () => {
    const count = repeats(400, 5000);
    const intervalSeconds = repeats(10, 60);
    const windowMs = repeats(2000, 1000);
    const { load, probe } = on;
    const { farwatch: parts } = load;
    const ids: string[] = [];
    for (let at = 0; at < count; at += 25) {
      ids.push(...await Promise.all(Array.from({ length: 25 }, (_, of) => load.createMonitor(`/herd/${at + of}`, {
        interval_seconds: intervalSeconds, confirmation_policy: { retries: 5 },
      }))));
    }
    await until(() => ids.every((id) => load.countOf(id) > 0), { what: 'all are checked', everyMs: 250 });
    await kill9All(parts);
    const from = probe.log.length;
    const startedAt = Date.now();
    await startIn(ROLES, parts);
    await probe.waitForOutput('"msg":"connected"', from);
    const endsAt = startedAt + (intervalSeconds + 5) * 1000;
    await until(() => Date.now() > endsAt, { what: 'an interval passes', everyMs: 500 });
    await parts.ready();
    const { holes, unexplained, doubled, ledger } = await load.settle();
    expect({ holes, unexplained, doubled }).toEqual({ holes: [], unexplained: 0, doubled: 0 });
    const starts = [...ledger.byMonitor.values()].flat().filter(
      ({ outcome, started_at: at }) => outcome !== 'missed' && at >= startedAt && at < endsAt,
    ).map(({ started_at: at }) => Math.floor((at - startedAt) / windowMs));
    const perWindow = new Map<number, number>();
    for (const window of starts) perWindow.set(window, (perWindow.get(window) ?? 0) + 1);
    const mean = (count * windowMs) / (intervalSeconds * 1000);
    const peak = Math.max(...perWindow.values());
    expect(peak / mean, 'the busiest window, of the mean').toBeLessThanOrEqual(1.5);
    expect(await load.incidents()).toEqual([]);
    return toOutcome({ injected: 1, incidents: { expected: 0, opened: 0 }, deaths: await parts.deaths() },
      `${starts.length} checks; at most ${peak} in ${windowMs / 1000} s, ${mean} on average`);
  });
}
