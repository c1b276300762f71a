import { join } from 'node:path';
import { ApiSession } from '../helpers/api-session.ts';
import { startFarwatch } from '../helpers/farwatch.ts';
import { passTime } from '../helpers/pass-time.ts';
import { BENCH_ENV, counterOf, createMonitors, RESULTS } from './chain.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';
import { startBenchTarget } from './target.ts';

/** The search for the limit starts with so many monitors, each checked once a second, and adds a fifth each time. */
const FIRST_COUNT = 1000;
const GROWTH = 1.2;
/** The limit is where a smaller share of the due checks is run. */
const KEPT_SHARE = 0.97;
/** Multiples of the limit. */
const LOADS = [1, 1.5, 2];
const SEARCH_S = 10;
const SETTLE_S = 10;
const MISSED = 'farwatch_checks_missed_total';

/** Checks per second that are still run, and missed ones that are counted, when more are due than the host can run. */
export const overload: Metric = async ({ outdir, scale }) => {
  const target = await startBenchTarget(join(outdir, 'target.mjs'));
  const farwatch = await startFarwatch({ env: BENCH_ENV });
  try {
    const session = await new ApiSession(farwatch.url).begin();
    let count = 0;
    const grow = async (to: number): Promise<void> => {
      await createMonitors(session, target, { from: count, to, intervalS: 1 });
      count = to;
      await passTime(SETTLE_S * 1000);
    };
    const read = async () => ({
      at: performance.now(), runs: await target.runs(), missed: await counterOf(farwatch, MISSED),
      results: await counterOf(farwatch, RESULTS),
    });
    const measure = async (durationS: number) => {
      const before = await read();
      await passTime(durationS * 1000);
      const after = await read();
      const seconds = (after.at - before.at) / 1000;
      const runs = after.runs.map((all, at) => all - (before.runs[at] ?? 0));
      const kept = runs.reduce((sum, each) => sum + each, 0);
      return {
        offered: count, kept: kept / seconds, missed: (after.missed - before.missed) / seconds,
        stored: (after.results - before.results) / seconds, leastOften: Math.min(...runs) / (kept / count),
      };
    };
    await grow(FIRST_COUNT);
    for (let found = await measure(SEARCH_S); found.kept >= count * KEPT_SHARE; found = await measure(SEARCH_S)) {
      await grow(Math.round(count * GROWTH));
    }
    const limit = count;
    const loads = [];
    for (const load of LOADS) {
      if (load > 1) await grow(Math.round(limit * load));
      loads.push({ load, ...(await measure(90 * scale)) });
    }
    const best = Math.max(...loads.map(({ kept }) => kept));
    return loads.flatMap(({ load, offered, kept, missed, stored, leastOften }) => [
      print({
        metric: '18', what: `checks run of ${offered} due each second, ${load} times the limit`, ours: [kept],
        theirs: [best], unit: '/s', floor: { min: 0.9 },
        note: `${stored.toFixed(0)} results stored; the least checked monitor had ${leastOften.toFixed(2)} of the mean`,
      }),
      print({
        metric: '18', what: 'checks run or counted as missed', ours: [kept + missed], theirs: [offered], unit: '/s',
        floor: { min: 0.97, max: 1.03 }, note: `${missed.toFixed(0)} counted as missed`,
      }),
    ]);
  } finally {
    await farwatch.stop();
    target.stop();
  }
};
