import { percentile } from './cpu.ts';
import { Installation } from './installation.ts';
import { publishPage } from './page-metric.ts';
import { giveHistory } from './population.ts';
import { print } from './report.ts';

const PAGE_SIZE = 50;
const SHOWN_MONITORS = 200;
/** Requests of one kind to one installation. */
const READS_PER_ROUND = 400;

interface Read {
  what: string;
  path: (of: { group: string; last: number }) => string;
  /** Has no floor. */
  mayGrow?: true;
}

/**
 * Reads whose cost must not depend on the number of monitors, and one whose cost may. `last` is the offset of the last
 * page.
 */
const READS: Read[] = [
  { what: 'the first page of monitors', path: () => '/api/monitors' },
  { what: 'active monitors', path: () => '/api/monitors?status=active' },
  { what: 'monitors of a type', path: () => '/api/monitors?type=TCP' },
  {
    what: 'monitors of two types that are not active',
    path: () => '/api/monitors?types=TCP,HTTP&status=paused',
  },
  { what: 'monitors of a group', path: ({ group }) => `/api/monitors?group_id=${group}` },
  {
    what: 'monitors of a group by name',
    path: ({ group }) => `/api/monitors?group_id=${group}&sort_by=name&sort_order=asc`,
  },
  { what: 'monitors by name', path: () => '/api/monitors?sort_by=name&sort_order=asc' },
  { what: 'the last page of monitors', path: ({ last }) => `/api/monitors?offset=${last}` },
  {
    what: 'a page in the middle', path: ({ last }) => `/api/monitors?offset=${Math.round(last / 2)}`,
    mayGrow: true,
  },
  { what: 'statistics of the project', path: () => '/api/monitors/stats' },
  { what: `a status page of ${SHOWN_MONITORS} monitors`, path: () => '/status/bench' },
];

/**
 * Compares lists and statistics over HTTP between an installation with few monitors and one with a hundred times as
 * many.
 */
export async function readScaling(
  { bundles, rounds, scale }: { bundles: string; rounds: number; scale: number },
): Promise<(boolean | null)[]> {
  const few = await Installation.start(bundles, 1000);
  const many = await Installation.start(bundles, Math.round(100_000 * scale));
  for (const one of [few, many]) {
    await publishPage(one, SHOWN_MONITORS);
    await giveHistoryToShown(one);
  }
  const count = Math.max(50, Math.round(READS_PER_ROUND * scale));
  try {
    const outcomes: (boolean | null)[] = [];
    for (const { what, path, mayGrow } of READS) {
      const p99: Record<'few' | 'many', number[]> = { few: [], many: [] };
      await timesOf([few, many], path, Math.round(count / 4));
      for (let round = 0; round < rounds; round += 1) {
        const [ofFew, ofMany] = await timesOf([few, many], path, count);
        p99.few.push(percentile(ofFew as number[], 0.99));
        p99.many.push(percentile(ofMany as number[], 0.99));
      }
      const floor = mayGrow ? {} : { floor: { max: 1.2 } };
      outcomes.push(print({
        metric: '12', what: `p99 of ${what}, ${many.count} against ${few.count}`, ours: p99.many,
        theirs: p99.few, unit: 'ms', ...floor,
      }));
    }
    return outcomes;
  } finally {
    await Promise.all([few.stop(), many.stop()]);
  }
}

/** Alternates between the installations, so that other load on the machine affects both equally. */
async function timesOf(
  installations: Installation[], path: Read['path'], count: number,
): Promise<number[][]> {
  const times: number[][] = installations.map(() => []);
  for (let at = 0; at < count * installations.length; at += 1) {
    const which = at % installations.length;
    const one = installations[which] as Installation;
    const before = performance.now();
    await one.read(path(paramsFor(one)));
    times[which]?.push(performance.now() - before);
  }
  return times;
}

function paramsFor({ group, count }: Installation): { group: string; last: number } {
  return { group, last: count - PAGE_SIZE };
}

/** Gives history to the monitors shown by the reads. */
async function giveHistoryToShown(one: Installation): Promise<void> {
  const ids = new Set<string>();
  for (const { path } of READS.filter(({ path }) => path(paramsFor(one)).startsWith('/api/'))) {
    const body =
      JSON.parse(await one.read(path(paramsFor(one)))) as { data: { monitors?: { id: string }[] } };
    for (const { id } of body.data.monitors ?? []) ids.add(id);
  }
  await giveHistory(one.db, [...ids]);
}
