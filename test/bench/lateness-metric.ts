import type { TimerFigures } from './loads/timers.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';
import { runWorker, startWorker } from './run-worker.ts';

const LOADS = ['wheelTimers', 'naiveTimers', 'absoluteTimers'] as const;
type Figures = Record<(typeof LOADS)[number], { late: number[]; perStart: number[] }>;

const MONITORS = 100_000;
const INTERVAL_MS = 60_000;
/** Share of the core used by another process. */
const BUSY_SHARE = 0.7;

/** Start delay of checks after their slots, on an idle core and a busy one. */
export const lateness: Metric = async ({ outdir, rounds, scale }) => {
  const options =
    { monitors: Math.round(MONITORS * scale), intervalMs: INTERVAL_MS * scale, forMs: Math.round(120_000 * scale) };
  const outcomes: (boolean | null)[] = [];
  for (const busy of [0, BUSY_SHARE]) {
    const found: Figures = {
      wheelTimers: { late: [], perStart: [] }, naiveTimers: { late: [], perStart: [] },
      absoluteTimers: { late: [], perStart: [] },
    };
    let missed = 0;
    // Each takes six minutes, so there are fewer rounds than for other metrics.
    for (let round = 0; round < Math.min(rounds, 2); round += 1) {
      for (const load of LOADS) {
        const burner = busy > 0 ? startWorker(outdir, 'burnCpu', { share: busy }) : null;
        burner?.outcome.catch(() => undefined);
        const { cpuMs: used, figures } = await runWorker<TimerFigures>(outdir, load, options);
        burner?.child.kill('SIGKILL');
        // Lateness has a resolution of 1 ms, so half of that stands for none.
        found[load].late.push(Math.max(0.5, figures.p99));
        found[load].perStart.push((used * 1000) / figures.fired);
        missed += figures.missed;
      }
    }
    outcomes.push(...report(found, { missed, at: busy > 0 ? `${busy * 100} % busy` : 'idle', monitors: options.monitors }));
  }
  const { figures: { drift, missed } } = await runWorker<{ drift: number; missed: number }>(
    outdir, 'virtualHour', { monitors: 10_000, intervalMs: INTERVAL_MS, forMs: 3_600_000 },
  );
  outcomes.push(missed === 0, print({
    metric: '5', what: 'drift in an hour of virtual time', ours: [drift], theirs: null, unit: 'ms', limit: { max: 0 },
  }));
  return outcomes;
};

function report(
  { wheelTimers, naiveTimers, absoluteTimers }: Figures,
  { missed, at, monitors }: { missed: number; at: string; monitors: number },
): (boolean | null)[] {
  return [
    print({
      metric: '5', what: `p99 start lateness, ${at}, against setTimeout`, ours: wheelTimers.late,
      theirs: naiveTimers.late, unit: 'ms', floor: { max: 0.5 },
      note: `${monitors} monitors, ${missed} missed; goal 0.2`,
    }),
    print({
      metric: '5', what: `p99 start lateness, ${at}, against absolute times`, ours: wheelTimers.late,
      theirs: absoluteTimers.late, unit: 'ms',
    }),
    print({
      metric: '5', what: `CPU per start, ${at}, against setTimeout`, ours: wheelTimers.perStart,
      theirs: naiveTimers.perStart, unit: 'µs', note: 'goal 0.4',
    }),
    missed === 0,
  ];
}
