import { expect, test } from 'vitest';
import { toUnwrittenMonitor } from '../../../controller/results/reading/recent/unwritten-monitor.ts';
import { ShardState } from '../../../controller/results/state/shard-state.ts';
import { Statistics, type RollupReader } from '../../../controller/results/reading/statistics.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { configOf, idIn } from './build.ts';

const SHARD = 4;
/** As many windows as group statistics have, but short ones, to limit the number of keys. */
const WINDOWS = [1, 2, 3, 4];

/** Finds no rollups, and counts the requested keys. */
class NoRollups implements RollupReader {
  requested = 0;
  readonly hours = async () => [];
  readonly days = async () => [];
  readonly results = async () => [];
  readonly hourTotals = async (keys: unknown[]) => this.#none(keys);
  readonly dayTotals = async (keys: unknown[]) => this.#none(keys);

  #none(keys: unknown[]): [] {
    this.requested += keys.length;
    return [];
  }
}

/** Statistics of new monitors, and a count of what a read requests. */
function rig() {
  const clock = new SimulatedClock(Date.UTC(2026, 5, 20, 23));
  const state = new ShardState(SHARD, { n: 0, lanes: [], taken_at: 0 }, []);
  const config = configOf({ monitor_id: idIn(SHARD, 0), changed_at: clock.now() });
  state.apply({
    shard: SHARD, n: 1, v: 1, writer: 'w', taken_at: clock.now(), configs: [config], pings: [], batches: [],
    clock: [], lanes: [],
  });
  const monitor = state.monitors.get(config.monitor_id);
  if (monitor === undefined) throw new Error('no such monitor');
  const rollups = new NoRollups();
  let questions = 0;
  const open = async (ids: string[]) => {
    questions += 1;
    return {
      recent: [], monitors: new Map(ids.map((id) => [id, toUnwrittenMonitor(id, monitor, clock.now(), 'owner')])),
    };
  };
  const statistics = new Statistics({
    clock, rollups, latest: async () => [], unwritten: { read: open }, readUnwrittenRows: async () => [],
  });
  const requested = async (read: () => Promise<unknown>): Promise<{ keys: number; questions: number }> => {
    const before = { keys: rollups.requested, questions };
    await read();
    return { keys: rollups.requested - before.keys, questions: questions - before.questions };
  };
  const group = (first: number, count: number) => () => pagesOf(first, count).reduce(
    (before, ids) => before.then(() => statistics.periods(ids, WINDOWS)), Promise.resolve<unknown>(null),
  );
  return { clock, statistics, requested, group };
}

/** Splits monitors into pages of 500, as group reads do. */
function pagesOf(first: number, count: number): string[][] {
  const ids = Array.from({ length: count }, (_, number) => `monitor ${first + number}`);
  return Array.from({ length: Math.ceil(count / 500) }, (_, page) => ids.slice(page * 500, page * 500 + 500));
}

test('group statistics query the owners once per page, and read no rollups when repeated', async () => {
  const { requested, group } = rig();
  const first = await requested(group(0, 1000));
  expect(first.keys).toBeGreaterThan(10_000);
  expect(first.questions).toBe(2);
  expect(await requested(group(0, 1000))).toEqual({ keys: 0, questions: 2 });
});

test('repeated statistics of a group larger than the cache reuse what fits', async () => {
  const { clock, requested, group } = rig();
  const { keys: whole } = await requested(group(0, 2000));
  for (let again = 0; again < 3; again += 1) {
    expect((await requested(group(0, 2000))).keys).toBeLessThan(0.5 * whole);
  }
  // Old entries make room for new ones.
  await clock.advance(5 * 60_000);
  expect((await requested(group(3000, 1000))).keys).toBeGreaterThan(0);
  expect((await requested(group(3000, 1000))).keys).toBe(0);
});

test('group statistics evict nothing that lists have cached', async () => {
  const { statistics, requested, group } = rig();
  const [listed = []] = pagesOf(10_000, 50);
  expect((await requested(() => statistics.list30d(listed))).keys).toBeGreaterThan(1000);
  await group(0, 1500)();
  expect((await requested(() => statistics.list30d(listed))).keys).toBe(0);
});
