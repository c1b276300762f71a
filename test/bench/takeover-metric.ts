import { startDatabase } from './database.ts';
import type { TakeOverFigures } from './loads/take-over.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';
import { runWorker } from './run-worker.ts';

/** Of each of the two controllers that take 330,000 monitors over from a third. */
const MONITORS = 165_000;
/** A journal is one to two hours long; its length is in proportion. */
const MINUTES = 20;

/** How long a controller takes to load the shards of a dead one, against a process that reads the same documents. */
export const takeover: Metric = async ({ bundles, outdir, rounds, scale }) => {
  const monitors = Math.round(MONITORS * scale);
  const database = await startDatabase(bundles);
  const options = { url: database.url, monitors, minutes: MINUTES };
  const [ours, bare]: [TakeOverFigures[], { statesMs: number; ms: number }[]] = [[], []];
  try {
    await runWorker(outdir, 'leaveShards', options);
    for (let round = 0; round < rounds; round += 1) {
      ours.push((await runWorker<TakeOverFigures>(outdir, 'takeOver', options)).figures);
      bare.push((await runWorker<{ statesMs: number; ms: number }>(outdir, 'bareTakeOver', options)).figures);
    }
  } finally {
    await database.stop();
  }
  const of = `${monitors} monitors with ${MINUTES} min of results`;
  const largest = (key: 'alertsCpuMs' | 'cpuMs' | 'megabytes') => Math.round(Math.max(...ours.map((each) => each[key])));
  const states = Math.round(Math.min(...bare.map(({ statesMs }) => statesMs)));
  const lines = [
    ['half of the alerts flow', 'halfMs', ''],
    ['all alerts flow', 'allMs', `${largest('alertsCpuMs')} ms of CPU; the states alone are read in ${states} ms`],
    ['statistics are whole', 'wholeMs', `${largest('cpuMs')} ms of CPU, ${largest('megabytes')} MB`],
  ] as const;
  return lines.map(([what, key, note]) => print({
    metric: 'takeover', what: `${of}: until ${what}`, ours: ours.map((each) => each[key]),
    theirs: bare.map(({ ms }) => ms), unit: 'ms', note,
  }));
};
