import { z } from 'zod';
import { sleep, type Clock } from '../../../../shared/time.ts';
import type { ShardState } from '../../state/shard-state.ts';
import type { ShardView } from '../../shards/shard-message.ts';
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

/** Takes the pages of monitors; `begin` drops those so far. */
export interface PageSink {
  begin(): void;
  add(page: MonitorPage): void;
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
      const metrics = this.#byShard.get(shard.state) ?? this.#follow(shard);
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

  #follow(shard: ShardView): ShardMetrics {
    const metrics = new ShardMetrics();
    this.#byShard.set(shard.state, metrics);
    shard.follow((fresh) => metrics.note(fresh));
    return metrics;
  }

  /**
   * Reads the projects' monitors that are not deleted. Waits a moment for uptimes if only a few are missing.
   * False if monitors are missing because an owner did not respond, or uptimes that are being read.
   */
  async read(projectIds: string[], sink: PageSink): Promise<boolean> {
    const { clock, owners } = this.#deps;
    for (let awaited = 0; ; awaited += 1) {
      let pending = 0;
      sink.begin();
      const add = (page: MonitorPage): void => {
        pending += page.pending;
        sink.add(page);
      };
      const { all } = owners.shardMap;
      const hasAdded = await Promise.all(all.map((shard) => this.#addShard(shard, projectIds, add)));
      const isComplete = pending === 0 && !hasAdded.includes(false);
      if (pending === 0 || pending > MAX_AWAITED || awaited === MAX_AWAITS) return isComplete;
      await sleep(clock, AWAIT_INTERVAL_MS);
    }
  }

  /** False if the shard's owner does not respond, or another one takes over meanwhile. */
  async #addShard(shard: number, project_ids: string[], add: PageSink['add']): Promise<boolean> {
    const { clock, owners } = this.#deps;
    let writer: string | null = null;
    for (let from: number | null = 0; from !== null;) {
      // Local shards respond without a pause in which other requests would get a turn.
      await sleep(clock, 0);
      const page: MonitorPage | null = await owners.requestOnce(shard, this.query, { project_ids, from });
      if (page === null || (writer ?? page.writer) !== page.writer) return false;
      writer = page.writer;
      add(page);
      from = page.next;
    }
    return true;
  }
}
