import type { Clock } from '../../../../shared/time.ts';
import type { FreshResult } from '../../state/entry-step.ts';
import type { ShardState } from '../../state/shard-state.ts';
import type { ShardView } from '../../shards/shard-message.ts';
import { rollupKey, type Totals } from '../../hours/rollup.ts';
import type { TotalsReader } from '../written/written-totals.ts';
import { CheckCounts } from './check-counts.ts';
import { PageBuilder, type MonitorPage } from './monitor-page.ts';
import { MonitorSlots } from './monitor-slots.ts';
import { UptimeWindows } from './uptime-windows.ts';

/** Monitors per page: less than a millisecond of the shard's time. */
const PAGE_SIZE = 250;
/** Of a page whose monitors have many regions, so that a message can carry it. */
const MAX_NUMBERS = 20_000;
/** Monitors per query: each needs up to 56 rollups. */
const BATCH_SIZE = 20;

/** What metrics need beyond the states of a shard, for the projects whose metrics were read here. */
export class ShardMetrics {
  readonly #slots = new MonitorSlots();
  readonly #counts = new CheckCounts();
  readonly #uptimes = new UptimeWindows();
  /** Versions of the rollups that have to be read, by monitor. */
  readonly #stale = new Map<string, number>();

  get hasStaleUptimes(): boolean {
    return this.#stale.size > 0;
  }

  note(fresh: FreshResult[]): void {
    for (const { config, region, result } of fresh) {
      const slot = this.#slots.of(config.monitor_id);
      if (slot !== undefined) this.#counts.add(slot, region, result);
    }
  }

  /** Adds the projects' monitors, and removes those that the shard no longer has. */
  follow({ monitors }: ShardState, projects: ReadonlySet<string>): void {
    for (const [id, { state: { config } }] of monitors) {
      if (projects.has(config.project_id)) this.#slots.add(id);
    }
    this.#counts.reserve(this.#slots.length);
    this.#uptimes.reserve(this.#slots.length);
    for (const slot of this.#slots.removeUnless((id) => monitors.has(id))) {
      this.#counts.clear(slot);
      this.#uptimes.clear(slot);
    }
  }

  /** The projects' monitors from slot `from` on. `now`: Unix ms. */
  page(
    { state, writer }: Pick<ShardView, 'state' | 'writer'>, projects: ReadonlySet<string>, from: number,
    now: number,
  ): MonitorPage {
    const builder = new PageBuilder();
    let pending = 0;
    let slot = from;
    for (; slot < this.#slots.length; slot += 1) {
      if (builder.ids.length >= PAGE_SIZE || builder.numbers.length >= MAX_NUMBERS) break;
      const id = this.#slots.idAt(slot);
      const monitor = id === null ? undefined : state.monitors.get(id);
      if (monitor === undefined) continue;
      const { config } = monitor.state;
      if (config.status === 'deleted' || !projects.has(config.project_id)) continue;
      if (!this.#uptimes.isCurrent(slot, monitor.writes)) this.#stale.set(config.monitor_id, monitor.writes);
      if (!this.#uptimes.isKnown(slot)) pending += 1;
      const countsOf = (region: string) => this.#counts.of(slot, region);
      builder.add(monitor.state, now, { uptimes: this.#uptimes.of(slot, monitor, now), countsOf });
    }
    const { ids, names, texts, numbers } = builder;
    return { writer, next: slot < this.#slots.length ? slot : null, pending, ids, names, texts, numbers };
  }

  /** Reads rollups of some monitors whose uptimes are stale. */
  async readUptimes(rollups: TotalsReader, now: number): Promise<void> {
    const batch = [...this.#stale].slice(0, BATCH_SIZE).flatMap(([id, version]) => {
      const slot = this.#slots.of(id);
      this.#stale.delete(id);
      return slot === undefined ? [] : [{ id, version, missing: this.#uptimes.missing(slot, id, now) }];
    });
    if (batch.length === 0) return;
    const [hours, days] = await Promise.all([
      rollups.hourTotals(batch.flatMap(({ missing }) => missing.hours)),
      rollups.dayTotals(batch.flatMap(({ missing }) => missing.days)),
    ]);
    const totals = new Map<string, Totals>();
    for (const { monitor_id: id, hour, totals: of } of hours) totals.set(rollupKey(id, hour), of);
    const dayTotals = new Map(days.map(({ monitor_id: id, day, totals: of }) => [rollupKey(id, day), of]));
    for (const { id, version, missing } of batch) {
      const slot = this.#slots.of(id);
      if (slot === undefined) continue;
      this.#uptimes.store(slot, version, now, missing, {
        hours: (hour) => totals.get(rollupKey(id, hour)), days: (day) => dayTotals.get(rollupKey(id, day)),
      });
    }
  }
}

/** Reads the uptimes of shards one after another, as long as there are stale ones. */
export class UptimeLoader {
  readonly #clock: Clock;
  readonly #rollups: TotalsReader;
  readonly #shards = new Set<ShardMetrics>();
  #isRunning = false;

  constructor(clock: Clock, rollups: TotalsReader) {
    this.#clock = clock;
    this.#rollups = rollups;
  }

  load(shard: ShardMetrics): void {
    this.#shards.add(shard);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      for (const shard of this.#shards) {
        while (shard.hasStaleUptimes) await shard.readUptimes(this.#rollups, this.#clock.now());
        this.#shards.delete(shard);
      }
    } catch {
      // The database does not respond. The next scrape finds the same uptimes stale.
      this.#shards.clear();
    } finally {
      this.#isRunning = false;
    }
  }
}
