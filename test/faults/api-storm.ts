import { expect } from 'vitest';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import type { Load } from './load.ts';
import { repeats, SEED, toOutcome } from './tally.ts';

/** Monitors change during their checks. */
export function apiStorm(on: { readonly load: Load }): void {
  type Change = 'edited' | 'paused' | 'deleted' | 'paused and resumed';
  const CHANGES: Change[] = ['edited', 'paused', 'deleted', 'paused and resumed'];

  async function make(change: Change, id: string): Promise<void> {
    const { session, target } = on.load;
    if (change === 'edited') await session.ok('PUT', `/api/monitors/${id}`, { target: `${target.url}/good` });
    else if (change === 'deleted') await session.ok('DELETE', `/api/monitors/${id}`);
    else await session.ok('POST', `/api/monitors/${id}/pause`);
  }

  fault('F41', 'monitors are edited, paused and deleted during their failing checks', async () => {
    const each = repeats(3, 25);
    const random = randomOf(SEED);
    const steady = await on.load.steady(repeats(8, 20), 'steady');
    const made: { id: string; change: Change; path: string }[] = [];
    const policy = {
      interval_seconds: 60, timeout_ms: 60_000, confirmation_policy: { regions: 'majority', retries: 0 },
    };
    let release = (): void => undefined;
    const stormIsOver = new Promise<void>((resolve) => (release = resolve));
    for (let at = 0; at < each; at += 1) {
      await Promise.all(CHANGES.map(async (change) => {
        const path = `/ill/${change.replaceAll(' ', '-')}/${at}`;
        on.load.target.respondWith({ status: 503, after: stormIsOver }, path);
        made.push({ id: await on.load.createMonitor(path, policy), change, path });
      }));
    }
    await Promise.all(made.map(async ({ id, change, path }) => {
      await until(() => on.load.target.countOf(path) >= 1, { what: 'its check is in flight' });
      await passTime(random() * 500);
      await make(change, id);
      if (change !== 'paused and resumed') return;
      on.load.target.respondWith({ status: 200 }, path);
      await on.load.session.ok('POST', `/api/monitors/${id}/resume`);
    }));
    const is = (change: Change) => made.filter((one) => one.change === change);
    // A result that overtakes a change is judged without it.
    await on.load.changesJournaled();
    release();
    for (const { id } of is('edited')) {
      await until(() => hasFailed(id), { what: 'the result of the old settings is stored' });
    }
    for (const { id } of [...is('edited'), ...is('paused and resumed')]) {
      await until(async () => (await on.load.statusOf(id)) === 'up', { what: 'up with the new settings' });
    }
    for (const { id } of is('paused')) expect(await on.load.statusOf(id)).toBe('paused');
    const { ledger, holes, issued, stored, spoilt } = await on.load.settle(is('deleted').map(({ id }) => id), 60_000);
    expect(
      (await on.load.session.ok<{ incidents: unknown[] }>('GET', '/api/incidents?limit=100')).incidents,
    ).toEqual([]);
    expect(on.load.receiver.requests).toEqual([]);
    expect(holes).toEqual([]);
    const failing = made.map(
      ({ id }) => (ledger.byMonitor.get(id) ?? []).filter((result) => result.outcome === 'failure').length,
    );
    const stale = failing.reduce((sum, count) => sum + count, 0);
    for (const id of steady) {
      const [seen = NaN, least = NaN, missed = NaN] = [issued, stored, spoilt].map((counts) => counts.get(id));
      expect(seen, 'requests that the target saw').toBeGreaterThanOrEqual(least);
      expect(seen, 'requests that the target saw').toBeLessThanOrEqual(least + missed);
    }
    return toOutcome({
      injected: made.length, incidents: { expected: 0, opened: 0 },
      alerts: { expected: 0, delivered: 0, repeated: 0 }, seed: SEED,
    },
      `${stale} failing results of old revisions stored, 0 changed a state`);
  });

  async function hasFailed(id: string): Promise<boolean> {
    const { results } =
      await on.load.session.ok<{ results: { success: boolean }[] }>('GET', `/api/monitors/${id}/results`);
    return results.some(({ success }) => !success);
  }
}
