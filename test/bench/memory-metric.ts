import type { MemoryFigures } from './loads/memory.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';
import { runWorker } from './run-worker.ts';

const SIZES = [1000, 10_000, 100_000];
const LOADS = ['probeMemory', 'controllerMemory', 'bareMemory'] as const;
/** Published by Jetmon v2 for its whole process, bytes per site. */
const JETMON_BYTES = 3150;

/** Memory growth of a process per monitor, against a plain object and a timer. */
export const memoryPerMonitor: Metric = async ({ outdir, rounds, scale }) => {
  const slopes: Record<(typeof LOADS)[number], number[]> = { probeMemory: [], controllerMemory: [], bareMemory: [] };
  for (let round = 0; round < Math.min(rounds, 3); round += 1) {
    for (const load of LOADS) {
      const points: [monitors: number, bytes: number][] = [];
      for (const size of SIZES) {
        const monitors = Math.round(size * scale);
        const { figures } = await runWorker<MemoryFigures>(outdir, load, { monitors }, 0, ['--expose-gc']);
        points.push([monitors, figures.rssBytes]);
      }
      slopes[load].push(slopeOf(points));
    }
  }
  const theirs = slopes.bareMemory;
  const against = (what: string, ours: number[], goal: string) => print({
    metric: '6', what: `memory per monitor of a ${what}, against a bare object`, ours, theirs, unit: 'B',
    floor: { max: 2 }, note: `goal ${goal}`,
  });
  return [
    against('probe', slopes.probeMemory, '0.5'),
    against('controller', slopes.controllerMemory, '1'),
    print({
      metric: '6', what: 'of both together, against Jetmon v2 as published', unit: 'B', theirs: [JETMON_BYTES],
      ours: slopes.probeMemory.map((bytes, round) => bytes + (slopes.controllerMemory[round] as number)),
      note: 'goal 0.25 for the probe',
    }),
  ];
};

/** Slope of the least-squares line through the points. */
function slopeOf(points: readonly [x: number, y: number][]): number {
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [atX, atY] = [mean(([x]) => x), mean(([, y]) => y)];
  return mean(([x, y]) => (x - atX) * (y - atY)) / mean(([x]) => (x - atX) ** 2);
}
