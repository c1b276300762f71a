import { Installation } from './installation.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';
import { runWorker } from './run-worker.ts';

/** Time until a killed controller is ready again, against reading all monitors once. */
export const coldStart: Metric = async ({ bundles, outdir, rounds, scale }) => {
  const one = await Installation.start(bundles, Math.round(100_000 * scale));
  const ms: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      ms.ours.push(await one.restart());
      const startedAt = performance.now();
      await runWorker(outdir, 'readMonitors', { url: one.databaseUrl });
      ms.bare.push(performance.now() - startedAt);
    }
    return [print({
      metric: '14', what: `a controller with ${one.count} monitors starts, against a read of them`,
      ours: ms.ours, theirs: ms.bare, unit: 'ms', floor: { max: 4 },
    })];
  } finally {
    await one.stop();
  }
};
