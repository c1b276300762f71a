import { expect } from 'vitest';
import { kindsOf, slowest, startRequestLoop } from '../helpers/request-loop.ts';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import type { Installation, Load } from './load.ts';
import { countResults, repeats, SEED, toOutcome } from './tally.ts';

const MONITORS = repeats(12, 60);

export async function requestMonitors(load: Load<Installation>) {
  const { status, error } = await load.session.call('GET', '/api/monitors?limit=5');
  return { status, code: error?.code ?? null };
}

/** The database is killed under load. */
export function databaseKills(on: { readonly load: Load }): void {
  fault('F6', 'the database is killed at random moments under load', async () => {
    const kills = repeats(1, 10);
    const random = randomOf(SEED);
    const ids = await on.load.steady(MONITORS, 'database');
    const controller = await on.load.farwatch.pid('controller');
    const requestLoop = startRequestLoop(() => requestMonitors(on.load));
    const recoveryMs: number[] = [];
    for (let round = 0; round < kills; round += 1) {
      await passTime(random() * 1500);
      const killed = await on.load.farwatch.kill9('embedded-mongo');
      await on.load.farwatch.replaced('embedded-mongo', killed);
      const backAt = performance.now();
      const seen = requestLoop.responses.length;
      await until(
        () => requestLoop.responses.slice(seen).some((response) => response.status === 200),
        { what: 'the API responds again' },
      );
      recoveryMs.push(performance.now() - backAt);
      await passTime(500);
    }
    const responses = await requestLoop.end();
    // A kill between two requests is not noticed.
    expect(['200', '503 SERVICE_UNAVAILABLE']).toEqual(expect.arrayContaining(kindsOf(responses)));
    expect(await on.load.farwatch.pid('controller'), 'the controller survived').toBe(controller);
    const results = await countResults(on.load);
    expect(await on.load.incidents()).toEqual([]);
    const totals = await Promise.all(ids.map((id) => until(
      async () => (await on.load.checksOf(id)) === on.load.countOf(id), { what: 'the API counts the checks' },
    )));
    expect(totals).toHaveLength(MONITORS);
    return toOutcome({ injected: kills, results, incidents: { expected: 0, opened: 0 }, recoveryMs, seed: SEED },
      `${responses.filter((response) =>
        response.status === 503).length} responses 503, none 500, slowest ${(slowest(responses) / 1000).toFixed(1)} s`);
  });
}
