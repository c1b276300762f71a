import { expect } from 'vitest';
import { readLedger, storeUrl } from '../helpers/ledger.ts';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { until } from '../helpers/until.ts';
import type { FarProbe } from './far-probe.ts';
import { fault, longFault } from './fault.ts';
import type { Load } from './load.ts';
import { countResults, repeats, SEED, spooledBy, toOutcome } from './tally.ts';

/** Faults of a probe in a separate region, and of its connection. */
export function links(on: { readonly load: Load; readonly far: FarProbe }): void {
  const FAR = { monitoring_regions: ['far'] };
  const MONITORS = repeats(15, 100);
  /** 64 kbit/s. */
  const SLOW_BYTES_PER_SECOND = 8000;

  /** Ms until results of now are stored. */
  async function isStoredAgain(id: string): Promise<number> {
    const [startedAt, stored] = [performance.now(), await on.load.checksOf(id)];
    await until(async () => (await on.load.checksOf(id)) > stored, { what: 'results are stored' });
    return performance.now() - startedAt;
  }

  fault('F4', 'the only probe of a region is killed at random moments; the first time, it stays down', async () => {
    const kills = repeats(2, 20);
    const random = randomOf(SEED);
    const [firstId = ''] = await on.load.steady(MONITORS, 'probe', FAR);
    const { id: probeId } = await on.far.shown();
    const spooled = new Map<string, number>();
    const recoveryMs: number[] = [];
    const away = { from: 0, until: 0 };
    for (let round = 0; round < kills; round += 1) {
      await passTime(random() * 1500);
      await on.far.process.end('SIGKILL');
      for (const [lane, last] of await spooledBy(on.far.spoolDir, probeId)) spooled.set(lane, last);
      if (round === 0) {
        away.from = Date.now();
        await on.far.is('offline');
        await until(async () => (await on.load.statusOf(firstId)) === 'unknown', { what: 'the monitor is unknown' });
        away.until = Date.now();
      } else await passTime(random() * 1000);
      on.far.restart();
      recoveryMs.push(await isStoredAgain(firstId));
    }
    const results = await countResults(on.load, spooled);
    expect(await on.load.incidents()).toEqual([]);
    const { byMonitor } = await readLedger(storeUrl(on.load.farwatch.log()));
    const missed = [...byMonitor.values()].flat().filter((result) => result.missed?.reason === 'probe_down');
    const slots = missed.reduce((sum, result) => sum + (result.missed?.count ?? 0), 0);
    // Each monitor has a slot in each interval; the first and the last of the downtime may be incomplete.
    expect(slots).toBeGreaterThanOrEqual(MONITORS * (Math.floor((away.until - away.from) / 2000) - 1));
    return toOutcome({ injected: kills, results, incidents: { expected: 0, opened: 0 }, recoveryMs, seed: SEED },
      `${slots} slots missed as probe_down`);
  });

  fault('F13', 'the connection of a probe goes silent without either side noticing', async () => {
    const silences = repeats(1, 5);
    const [firstId = ''] = await on.load.steady(MONITORS, 'half-open', FAR);
    const recoveryMs: number[] = [];
    for (let round = 0; round < silences; round += 1) {
      const connections = on.far.nats.accepted;
      on.far.nats.mute();
      const startedAt = performance.now();
      await on.far.is('offline');
      await until(() => on.far.nats.accepted > connections, { what: 'the probe reconnects' });
      await isStoredAgain(firstId);
      recoveryMs.push(performance.now() - startedAt);
    }
    const results = await countResults(on.load);
    expect(await on.load.incidents()).toEqual([]);
    return toOutcome({ injected: silences, results, incidents: { expected: 0, opened: 0 }, recoveryMs });
  });

  longFault('F15', 'the link of a probe carries 64 kbit/s: a backlog waits for it, then all targets fail', async () => {
    const ids = await on.load.steady(MONITORS, 'slow', { ...FAR, confirmation_policy: { retries: 1 } });
    const [firstId = ''] = ids;
    on.far.nats.drop();
    const checked = on.load.countOf(firstId);
    await until(() => on.load.countOf(firstId) > checked + repeats(4, 60), { what: 'a backlog' });
    on.far.nats.heal();
    on.far.nats.pace(SLOW_BYTES_PER_SECOND);
    await on.far.is('online');
    const statuses = new Set<string>();
    let depth = 0;
    const meanwhile = (what: string, isDone: () => boolean | Promise<boolean>) => until(async () => {
      const { status, spool_depth: waiting } = await on.far.shown();
      statuses.add(status);
      depth = Math.max(depth, waiting);
      return isDone();
    }, { what, everyMs: 250 });
    const sinceHealed = on.load.countOf(firstId);
    await meanwhile('results of now are stored', async () => (await on.load.checksOf(firstId)) > sinceHealed);
    // Evidence of failed checks is far more than the link can carry.
    on.load.target.respondWith({ status: 503, body: 'x'.repeat(20_000) });
    const areAlerted = (count: number) => () => ids.every((id) => on.load.alertsOf(id).length >= count);
    await meanwhile('each outage is alerted', areAlerted(1));
    on.load.target.respondWith({ status: 200 });
    await meanwhile('each recovery is alerted', areAlerted(2));
    expect([...statuses]).toEqual(['online']);
    on.far.nats.heal();
    const results = await countResults(on.load);
    const [opened, delivered] = [(await on.load.incidents()).length, ids.flatMap((id) => on.load.alertsOf(id)).length];
    expect([opened, delivered]).toEqual([MONITORS, 2 * MONITORS]);
    return toOutcome({
      injected: 2, results, incidents: { expected: MONITORS, opened },
      alerts: { expected: 2 * MONITORS, delivered, repeated: 0 },
    }, `the probe was online throughout, with up to ${depth} results waiting`);
  });
}
