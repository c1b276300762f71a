import type { FleetFigures } from '../loads/virtual-fleet.ts';
import type { Metric } from '../metrics.ts';
import { print } from '../report.ts';
import { runWorker } from '../run-worker.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const PROBES = { regions: 50, probesPerRegion: 20 };
const HEAP_MB = 14_000;

/** How the load of a fleet of 1,000 probes grows with its monitors, on virtual time. */
export const fleetGrowth: Metric = async ({ outdir, scale }) => {
  const forMs = 20_000;
  const figures: FleetFigures[] = [];
  for (const full of SIZES) {
    const options = { ...PROBES, monitors: full * scale, settleMs: 5000, forMs };
    const flags = ['--expose-gc', `--max-old-space-size=${HEAP_MB}`];
    figures.push((await runWorker<FleetFigures>(outdir, 'virtualFleet', options, 0, flags)).figures);
  }
  const sizes = SIZES.map((size) => size * scale);
  return [
    ...figures.flatMap((found, nth) => atSize(found, sizes[nth] as number, forMs)),
    ...(['controllerBytes', 'probeBytes'] as const).map((whose) => {
      const [small, middle, large] = figures.map((found) => found[whose]) as [number, number, number];
      const [few, more, many] = sizes as [number, number, number];
      return print({
        metric: 'fleet', what: `memory per further monitor, ${whose === 'probeBytes' ? 'its three probes' : 'controller'}`,
        ours: [(large - middle) / (many - more)], theirs: [(middle - small) / (more - few)], unit: 'B',
        floor: { max: 1.1 }, note: 'from the second to the third size, against the first to the second',
      });
    }),
  ];
};

function atSize(found: FleetFigures, monitors: number, forMs: number): (boolean | null)[] {
  const line = { metric: 'fleet', theirs: null };
  const at = `${monitors} monitors`;
  const perSecond = 1000 / forMs;
  const { results, messages, writes, documents, cpuMs, placingMs, perDue, imbalance } = found;
  return [
    print({ ...line, what: `${at}: results stored`, ours: [results * perSecond], unit: '/s' }),
    print({
      ...line, what: `${at}: messages of probes`, ours: [messages * perSecond], unit: '/s',
      note: `${(results / messages).toFixed(1)} results each`,
    }),
    print({
      ...line, what: `${at}: database commands`, ours: [writes * perSecond], unit: '/s', limit: { max: 10 },
      note: `${(documents * perSecond).toFixed(1)} documents`,
    }),
    print({ ...line, what: `${at}: CPU per result, all parts`, ours: [(cpuMs * 1000) / results], unit: 'µs' }),
    print({ ...line, what: `${at}: CPU to choose three probes`, ours: [(placingMs * 1000) / monitors], unit: 'µs' }),
    print({
      ...line, what: `${at}: moves per monitor that has to move`, ours: [perDue], unit: '', limit: { max: 1.5 },
      note: `the busiest probe has ${imbalance.toFixed(2)} times the average`,
    }),
  ];
}
