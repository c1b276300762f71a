import { z } from 'zod';
import { sleep, type Clock } from '../../../../shared/time.ts';
import type { FreshResult } from '../../state/entry-step.ts';
import type { ShardState } from '../../state/shard-state.ts';
import { shardQuery, type ShardQueries } from '../../shards/shard-queries.ts';
import type { TotalsReader } from '../written/written-totals.ts';
import { monitorPage, type MonitorPage } from './monitor-page.ts';
import { ShardMetrics, UptimeLoader } from './shard-metrics.ts';

/** Monitors whose uptimes a reader waits for; more of them take longer than it would. */
const MAX_AWAITED = 2000;
const AWAIT_INTERVAL_MS = 50;
const MAX_AWAITS = 10;

export interface MetricsReaderDeps {
  clock: Clock;
  rollups: TotalsReader;
  owners: Pick<ShardQueries, 'requestOnce' | 'shardMap'>;
}

export interface MonitorMetrics {
  pages: MonitorPage[];
  /** False if monitors are missing because an owner did not respond, or uptimes that are being read. */
  isComplete: boolean;
}

/**
 * The metrics of monitors, from the memory of their owners. An owner counts checks and holds uptimes once the
 * metrics of a project are read for the first time, and then keeps them up to date.
 */
export class MetricsReader {
  readonly #deps: MetricsReaderDeps;
  readonly #byShard = new WeakMap<ShardState, ShardMetrics>();
  readonly #loader: UptimeLoader;

  readonly query = shardQuery({
    name: 'metrics',
    params: z.object({ project_ids: z.array(z.string()), from: z.int().min(0) }),
    response: monitorPage,
    fromMemory: (shard, { project_ids, from }) => {
      const metrics = this.#byShard.get(shard.state) ?? new ShardMetrics();
      this.#byShard.set(shard.state, metrics);
      const projects = new Set(project_ids);
      if (from === 0) metrics.follow(shard.state, projects);
      const page = metrics.page(shard, projects, from, this.#deps.clock.now());
      if (metrics.hasStaleUptimes) this.#loader.load(metrics);
      return page;
    },
  });

  constructor(deps: MetricsReaderDeps) {
    this.#deps = deps;
    this.#loader = new UptimeLoader(deps.clock, deps.rollups);
  }

  /** Counts the results of a journal entry. */
  note(state: ShardState, fresh: FreshResult[]): void {
    this.#byShard.get(state)?.note(fresh);
  }

  /** The projects' monitors that are not deleted. Waits a moment for uptimes if only a few are missing. */
  async read(projectIds: string[]): Promise<MonitorMetrics> {
    for (let awaited = 0; ; awaited += 1) {
      const { owners } = this.#deps;
      const shards = await Promise.all(owners.shardMap.all.map((shard) => this.#ofShard(shard, projectIds)));
      const pages = shards.flatMap((found) => found ?? []);
      const pending = pages.reduce((sum, page) => sum + page.pending, 0);
      const isComplete = pending === 0 && !shards.includes(null);
      if (pending === 0 || pending > MAX_AWAITED || awaited === MAX_AWAITS) return { pages, isComplete };
      await sleep(this.#deps.clock, AWAIT_INTERVAL_MS);
    }
  }

  /** Null if the shard's owner does not respond, or another one takes over meanwhile. */
  async #ofShard(shard: number, project_ids: string[]): Promise<MonitorPage[] | null> {
    const { clock, owners } = this.#deps;
    const pages: MonitorPage[] = [];
    for (let from: number | null = 0; from !== null;) {
      // Local shards respond without a pause in which other requests would get a turn.
      await sleep(clock, 0);
      const page: MonitorPage | null = await owners.requestOnce(shard, this.query, { project_ids, from });
      if (page === null || (pages[0] ?? page).writer !== page.writer) return null;
      pages.push(page);
      from = page.next;
    }
    return pages;
  }
}
