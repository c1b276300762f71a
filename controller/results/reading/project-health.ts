import { z } from 'zod';
import { sleep, type Clock } from '../../../shared/time.ts';
import { shardQuery, type ShardQueries } from '../shards/shard-queries.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';

/** A project's active monitors by status, with the slowest and flakiest ones. */
const projectHealth = z.object({
  counts: z.object({ up: z.int(), down: z.int(), degraded: z.int() }),
  /** By their latest success, slowest first. */
  slowest: z.array(z.object({ monitor_id: z.string(), response_time_ms: z.number() })),
  /** By outages within the flapping window, most first. */
  flakiest: z.array(z.object({ monitor_id: z.string(), recent_outages: z.int() })),
});
export type ProjectHealth = z.infer<typeof projectHealth>;

/** Monitors in each list. */
const MAX_LISTED = 5;
/** Yields after a shard that takes longer. */
const MAX_UNBROKEN_MS = 2;

/** The health of a project's monitors in one shard. */
export const healthQuery = shardQuery({
  name: 'health',
  params: z.object({ project_id: z.string() }),
  response: projectHealth,
  fromMemory: ({ state }, { project_id }) => {
    const health: ProjectHealth = { counts: { up: 0, down: 0, degraded: 0 }, slowest: [], flakiest: [] };
    for (const [id, monitor] of state.monitors) {
      const { config } = monitor.state;
      if (config.project_id === project_id && config.status === 'active') addTo(health, id, monitor);
    }
    return trimmed(health);
  },
});

export class HealthReader {
  readonly #owners: ShardQueries;
  readonly #clock: Clock;

  constructor(owners: ShardQueries, clock: Clock) {
    this.#owners = owners;
    this.#clock = clock;
  }

  /**
   * Queries every shard's owner. Yields after shards that take long.
   * @throws AppError SERVICE_UNAVAILABLE if one does not respond, because its monitors would look unknown.
   */
  async ofProject(projectId: string): Promise<ProjectHealth> {
    const pending: Promise<ProjectHealth>[] = [];
    for (const shard of this.#owners.shardMap.all) {
      const before = this.#clock.monotonic();
      const response = this.#owners.request(shard, healthQuery, { project_id: projectId });
      // It may reject while this yields, before all are awaited.
      response.catch(() => undefined);
      pending.push(response);
      if (this.#clock.monotonic() - before > MAX_UNBROKEN_MS) await sleep(this.#clock, 0);
    }
    const shards = await Promise.all(pending);
    const sum = (name: keyof ProjectHealth['counts']): number =>
      shards.reduce((total, { counts }) => total + counts[name], 0);
    return trimmed({
      counts: { up: sum('up'), down: sum('down'), degraded: sum('degraded') },
      slowest: shards.flatMap(({ slowest }) => slowest), flakiest: shards.flatMap(({ flakiest }) => flakiest),
    });
  }
}

function addTo({ counts, slowest, flakiest }: ProjectHealth, id: string, { state }: LiveMonitor): void {
  const { status } = state;
  if (status === 'up' || status === 'down' || status === 'degraded') counts[status] += 1;
  const time = state.last_success_ms;
  if (time !== null && state.status !== 'down' && state.status !== 'unknown') {
    slowest.push({ monitor_id: id, response_time_ms: time });
  }
  const outages = state.flaps?.downs.length ?? 0;
  if (outages > 0) flakiest.push({ monitor_id: id, recent_outages: outages });
}

function trimmed({ counts, slowest, flakiest }: ProjectHealth): ProjectHealth {
  return {
    counts,
    slowest: slowest.sort((one, other) => other.response_time_ms - one.response_time_ms).slice(0, MAX_LISTED),
    flakiest: flakiest.sort((one, other) => other.recent_outages - one.recent_outages).slice(0, MAX_LISTED),
  };
}
