import { expect, test } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { hourOf } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { AgedResultStore } from '../../controller/results/hours/aged-result-store.ts';
import { writeClosedHours, isDueForWriting } from '../../controller/results/writing/closed-hours.ts';
import type { JournalEntry } from '../../controller/results/journal/journal-store.ts';
import { HourStore } from '../../controller/results/hours/hour-store.ts';
import { toUnwrittenMonitor } from '../../controller/results/reading/recent/unwritten-monitor.ts';
import { ShardState } from '../../controller/results/state/shard-state.ts';
import { StateStore } from '../../controller/results/writing/state-store.ts';
import { Statistics } from '../../controller/results/reading/statistics.ts';
import { Random } from '../simulation/random.ts';
import { batchOf, configOf, idIn, resultOf } from '../unit/results/build.ts';
import { withMongo } from './with-mongo.ts';
import { rowsOf } from '../../controller/results/hours/hour-rows.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const INTERVAL_MS = HOUR_MS / 2;
/** The windows of the statistics of groups, in hours. */
const WINDOWS = [1, 24, 7 * 24, 30 * 24];
const mongo = withMongo();

/** The owner of a shard, with all results that it ever accepted. */
class Owner {
  readonly taken: CheckResult[] = [];
  readonly hours = new HourStore(mongo.db);
  readonly states = new StateStore(mongo.db);
  readonly configs: ReturnType<typeof configOf>[];
  readonly clock: SimulatedClock;
  readonly #shard: number;
  state: ShardState;
  #owners = 1;
  #seq = 0;
  readonly entries: JournalEntry[] = [];

  constructor(clock: SimulatedClock, shard: number) {
    this.clock = clock;
    this.#shard = shard;
    this.configs = [0, 1, 2].map((number) => configOf({
      monitor_id: idIn(shard, number), interval_ms: INTERVAL_MS, retries: 0, quorum: 'any',
    }));
    this.state = new ShardState(shard, { n: 0, lanes: [], taken_at: 0 }, []);
  }

  take(results: CheckResult[], late: boolean): void {
    const numbered = results.map((result) => ({ ...result, seq: ++this.#seq }));
    const batch = batchOf(numbered);
    const now = this.clock.now();
    const entry: JournalEntry = {
      shard: this.#shard, n: this.state.n + 1, v: 1, writer: 'w', taken_at: now,
      configs: this.state.n === 0 ? this.configs : [], pings: [],
      batches: [{
        probe_id: 'p', region: 'eu', bytes: encodeBatch(batch), batch, refused: [],
        late: late ? numbered.map(({ seq }) => seq) : [],
      }],
      clock: late ? [] : [{ kind: 'hour', until: hourOf(now) }], lanes: [{ lane: 'p/e', position: this.#seq }],
    };
    this.entries.push(entry);
    for (const { monitor_id: id } of this.state.apply(entry).changed) {
      (this.state.monitors.get(id) as { queued: number }).queued = 0;
    }
    this.taken.push(...numbered);
  }

  async write(): Promise<void> {
    const now = this.clock.now();
    const due =
      [...this.state.monitors].filter(([id, monitor]) => isDueForWriting(id, monitor, now)).map(([id]) => id);
    await writeClosedHours(this, this.state, due, now);
  }

  /** Gives the shard to another owner, which holds no results because all are written. */
  async move(): Promise<void> {
    this.state = new ShardState(
      this.#shard, { n: this.state.n, lanes: [{ lane: 'p/e', position: this.#seq, moved_at: 0 }], taken_at: 0 },
      await this.states.load(this.#shard),
    );
    this.#owners += 1;
  }

  /** Gives the shard to another owner, which reads the entries from this one on again, after an old snapshot. */
  async moveOwner(from: JournalEntry): Promise<void> {
    this.state = new ShardState(
      this.#shard, { n: from.n - 1, lanes: [], taken_at: 0 }, await this.states.load(this.#shard),
    );
    for (const entry of this.entries.slice(from.n - 1)) this.state.apply(entry);
    this.#owners += 1;
  }

  /** The statistics of a controller that queries this owner. */
  statistics(): Statistics {
    return new Statistics({
      clock: this.clock, rollups: this.hours, latest: async () => [],
      readUnwrittenRows: async (id, hour, after) => {
        const live = this.state.monitors.get(id);
        return (live && rowsOf(live, hour))?.after(after) ?? [];
      },
      unwritten: {
        read: async (ids) => ({
          recent: [],
          monitors: new Map(ids.map((id) => {
            const monitor = this.state.monitors.get(id);
            if (!monitor) throw new Error('no such monitor');
            return [id, toUnwrittenMonitor(id, monitor, this.clock.now(), `owner ${this.#owners}`)];
          })),
        }),
      },
    });
  }

  /** Results that started within the 720 hours up to the current one. */
  counted(id: string, retainedFrom: number): { total: number; failed: number } {
    const from = Math.max(retainedFrom, hourOf(this.clock.now() - 30 * DAY_MS) + HOUR_MS);
    const counted = this.taken.filter((result) => result.monitor_id === id && result.started_at >= from);
    return { total: counted.length, failed: counted.filter(({ outcome }) => outcome === 'failure').length };
  }
}

test('cached rollups equal the stored ones after late results, an hour, a day, retention and a takeover', async () => {
  const clock = new SimulatedClock();
  const random = new Random(7);
  const owner = new Owner(clock, 2);
  await owner.states.ensureIndexes();
  const controllers = [owner.statistics(), owner.statistics()];
  const ids = owner.configs.map(({ monitor_id: id }) => id);
  const resultAt = (number: number, at: number) =>
    resultOf(owner.configs[number] as (typeof owner.configs)[0], {
      started_at: at, response_time_ms: random.int(1, 900),
      ...(random.chance(0.2) ? { outcome: 'failure' } : {}),
    });
  let retainedFrom = 0;
  let compared = 0;
  const compare = async (): Promise<void> => {
    const recomputed = await owner.statistics().list30d(ids);
    for (const statistics of controllers) expect(await statistics.list30d(ids)).toEqual(recomputed);
    const periods = await owner.statistics().periods(ids, WINDOWS);
    for (const statistics of controllers) expect(await statistics.periods(ids, WINDOWS)).toEqual(periods);
    for (const id of ids) {
      const { total, failed } = owner.counted(id, retainedFrom);
      expect(recomputed.get(id)?.stats).toMatchObject({ total_checks: total, failed_checks: failed });
    }
    compared += 1;
  };
  for (let step = 0; step < 34 * 4; step += 1) {
    await clock.advance(6 * HOUR_MS);
    const now = clock.now();
    const times = Array.from({ length: 12 }, (_, at) => now - 6 * HOUR_MS + at * INTERVAL_MS + 1000);
    owner.take(times.flatMap((at) => ids.map((_, number) => resultAt(number, at))), false);
    if (step % 9 === 8) await compare();
    if (step % 5 === 4) {
      owner.take([resultAt(step % 3, now - random.int(7, Math.min(step, 100) * 6) * HOUR_MS + 2000)], true);
    }
    if (step % 9 === 8) await compare();
    await owner.write();
    if (step % 3 === 2) await compare();
    if (step === 100) await clock.advance(20 * 60_000);
  }
  // Everything is written now, so the next owner misses nothing.
  await clock.advance(2 * HOUR_MS);
  owner.take([], false);
  await owner.write();
  await compare();
  await owner.move();
  await compare();
  owner.take([resultAt(0, clock.now() - 3 * DAY_MS)], true);
  await owner.write();
  await compare();
  retainedFrom = clock.now() - (clock.now() % DAY_MS) - 10 * DAY_MS;
  await new AgedResultStore(mongo.db).removeRollups(
    ids.map((monitor_id) => ({ monitor_id, from: retainedFrom - 60 * DAY_MS, before: retainedFrom })),
  );
  await clock.advance(5 * 60_000);
  await compare();
  expect(compared).toBeGreaterThan(60);
});

test('results that an owner replays after a takeover count once, including in days that have a rollup', async () => {
  const clock = new SimulatedClock(Date.UTC(2026, 5, 20, 12));
  const owner = new Owner(clock, 3);
  const [config] = owner.configs as [(typeof owner.configs)[0]];
  owner.take([resultOf(config, { started_at: clock.now() - 10 * DAY_MS })], false);
  for (const daysAgo of [6, 5, 1, 0]) {
    owner.take(Array.from(
      { length: 10 },
      (_, at) => resultOf(config, { started_at: clock.now() - daysAgo * DAY_MS - HOUR_MS + at * 60_000 }),
    ), daysAgo > 0);
    const late = owner.entries.at(-1) as JournalEntry;
    await clock.advance(2 * HOUR_MS);
    owner.take([], false);
    await writeClosedHours(owner, owner.state, [config.monitor_id], clock.now());
    await owner.moveOwner(late);
    const expected = (await owner.statistics().list30d([config.monitor_id])).get(config.monitor_id);
    expect(expected?.stats?.total_checks).toBe(owner.taken.length);
  }
});

test('results that arrived after their hour was written count once, even after a takeover', async () => {
  const clock = new SimulatedClock(Date.UTC(2026, 5, 20, 12));
  const owner = new Owner(clock, 4);
  const [config] = owner.configs as [(typeof owner.configs)[0]];
  const resultsFrom = (at: number, count: number) => Array.from(
    { length: count }, (_, number) => resultOf(config, { started_at: at + number * 60_000 }),
  );
  const total = async () =>
    (await owner.statistics().list30d([config.monitor_id])).get(config.monitor_id)?.stats?.total_checks;
  const hour = clock.now();
  await clock.advance(HOUR_MS);
  owner.take(resultsFrom(hour, 10), false);
  const [first] = owner.entries as [JournalEntry];
  await clock.advance(2 * HOUR_MS);
  owner.take([], false);
  await writeClosedHours(owner, owner.state, [config.monitor_id], clock.now());
  owner.take(resultsFrom(hour + 30 * 60_000, 3), true);
  expect(await total()).toBe(13);
  await owner.moveOwner(first);
  expect(await total()).toBe(13);
});
