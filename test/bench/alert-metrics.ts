import { join } from 'node:path';
import { measureAlerts } from './alerts.ts';
import { median, percentile } from './cpu.ts';
import { startDatabase } from './database.ts';
import type { Metric } from './metrics.ts';
import { startBenchReceiver } from './receiver.ts';
import { print } from './report.ts';
import { runWorker } from './run-worker.ts';

/** Time from the first failing result to the webhook, under a load of 1,000 results per second. */
export const alertLatency: Metric = async ({ outdir, scale }) => {
  const bundles = { target: join(outdir, 'target.mjs'), receiver: join(outdir, 'receiver.mjs') };
  const figures = await measureAlerts({
    steady: Math.round(4800 * scale), outages: Math.round(200 * scale), intervalS: 5, settleS: 15, bundles,
  });
  const { confirmedMs, directMs, checksPerS, missing } = figures;
  const line = { metric: '10', unit: 'ms', ours: [median(confirmedMs)], theirs: [median(directMs)] };
  return [
    print({
      ...line, what: 'first failing result to webhook, p50, against a bare post', limit: { max: 1500 },
      note: `at ${Math.round(checksPerS)} results/s, ${confirmedMs.length} outages, confirmed by a recheck after 100 to 150 ms`,
    }),
    print({
      ...line, what: 'first failing result to webhook, p99', ours: [percentile(confirmedMs, 0.99)],
      theirs: [percentile(directMs, 0.99)], limit: { max: 3000 },
    }),
    print({
      metric: '10', what: 'outages without an alert', ours: [missing], theirs: null, unit: '',
      limit: { max: 0 },
    }),
  ];
};

/** Time until healthy destinations have their queued alerts, with and without 1 % of hanging receivers. */
export const queuedBehindHanging: Metric = async ({ outdir, bundles, rounds, scale }) => {
  const receiver = await startBenchReceiver(join(outdir, 'receiver.mjs'));
  const queued = { destinations: 100 * Math.round(50 * scale), each: 2 };
  const p99 = async (hanging: number): Promise<number> => {
    const database = await startDatabase(bundles);
    try {
      await receiver.take();
      const { figures } = await runWorker<{ startedAt: number }>(
        outdir, 'queuedAlerts', { url: database.url, port: receiver.port, ...queued, hanging },
      );
      const healthy = (await receiver.take()).filter(({ path }) => path.startsWith('/well/'));
      return percentile(healthy.map(({ at }) => at - figures.startedAt), 0.99);
    } finally {
      await database.stop();
    }
  };
  const hanging = Math.round(queued.destinations / 100);
  const figures: Record<'baseline' | 'withHanging', number[]> = { baseline: [], withHanging: [] };
  try {
    for (let round = 0; round < Math.min(rounds, 3); round += 1) {
      // The load that runs first has a cooler machine, so the order alternates.
      for (const load of round % 2 === 0 ? (['baseline', 'withHanging'] as const) : (['withHanging', 'baseline'] as const)) {
        figures[load].push(await p99(load === 'baseline' ? 0 : hanging));
      }
    }
  } finally {
    receiver.stop();
  }
  const what = `p99 of ${queued.destinations * queued.each} queued, 1 % of receivers hang, against none`;
  return [print({
    metric: '16', what, ours: figures.withHanging, theirs: figures.baseline, unit: 'ms', floor: { max: 1.2 },
  })];
};
