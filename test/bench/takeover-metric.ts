import { cpus } from 'node:os';
import { startDatabase } from './database.ts';
import type { TakeOverFigures } from './loads/take-over.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';
import { runWorker } from './run-worker.ts';

const MONITORS = 330_000;
const CONTROLLERS = 2;
/** A journal is one to two hours long; its length is in proportion. */
const MINUTES = 20;

/** How long controllers take to load the shards of a dead one, against a process that reads the same documents. */
export const takeover: Metric = async ({ bundles, outdir, rounds, scale, size }) => {
  const monitors = size('monitors', Math.round(MONITORS * scale));
  const [controllers, minutes] = [size('controllers', CONTROLLERS), size('minutes', MINUTES)];
  const database = await startDatabase(bundles);
  const options = { url: database.url, monitors, minutes };
  const [ours, bare]: [TakeOverFigures[], { statesMs: number; ms: number }[]] = [[], []];
  const takeTogether = async (): Promise<TakeOverFigures> => {
    const outcomes = await Promise.all(Array.from(
      { length: controllers },
      (_, part) => runWorker<TakeOverFigures>(outdir, 'takeOver', { ...options, part, parts: controllers }, part % cpus().length),
    ));
    const slowest = (key: keyof TakeOverFigures) => Math.max(...outcomes.map(({ figures }) => figures[key]));
    const found = outcomes.reduce((sum, { figures }) => sum + figures.monitors, 0);
    if (found !== monitors) throw new Error(`${found} of ${monitors} monitors are loaded`);
    return {
      monitors, halfMs: slowest('halfMs'), allMs: slowest('allMs'), alertsCpuMs: slowest('alertsCpuMs'),
      wholeMs: slowest('wholeMs'), cpuMs: slowest('cpuMs'), megabytes: slowest('megabytes'),
    };
  };
  try {
    await runWorker(outdir, 'leaveShards', options);
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await takeTogether());
      bare.push((await runWorker<{ statesMs: number; ms: number }>(outdir, 'bareTakeOver', options)).figures);
    }
  } finally {
    await database.stop();
  }
  const of = `${monitors} monitors, ${minutes} min of results, ${controllers} controllers`;
  const largest = (key: 'alertsCpuMs' | 'cpuMs' | 'megabytes') => Math.round(Math.max(...ours.map((each) => each[key])));
  const states = Math.round(Math.min(...bare.map(({ statesMs }) => statesMs)));
  const lines = [
    ['half of the alerts flow', 'halfMs', ''],
    ['all alerts flow', 'allMs', `${largest('alertsCpuMs')} ms of CPU each; the states alone are read in ${states} ms`],
    ['statistics are whole', 'wholeMs', `${largest('cpuMs')} ms of CPU, ${largest('megabytes')} MB each`],
  ] as const;
  return lines.map(([what, key, note]) => print({
    metric: 'takeover', what: `${of}: until ${what}`, ours: ours.map((each) => each[key]),
    theirs: bare.map(({ ms }) => ms), unit: 'ms', note,
  }));
};
