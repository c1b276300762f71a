import { grouped } from '../../../../shared/grouped.ts';
import type { ShardMap } from '../../../../shared/ids.ts';
import type { Clock } from '../../../../shared/time.ts';
import {
  liveRequest, liveResponse, recentOf, toUnwrittenMonitor, unwrittenRequest, unwrittenResponse,
  type UnwrittenMonitor, type UnwrittenResponse, viewLive, type MonitorLive,
} from './unwritten-monitor.ts';
import type { RecentResult } from '../periods.ts';
import { shardQuery, type ShardQueries } from '../../shards/shard-queries.ts';
import type { ShardView } from '../../shards/shard-message.ts';
import type { StateRecord } from '../../state/records.ts';

/** Monitors per query. */
const MAX_MONITORS_PER_QUERY = 500;

export interface UnwrittenReaderDeps {
  clock: Clock;
  owners: Pick<ShardQueries, 'request' | 'requestOnce' | 'shardMap'>;
  /** State documents. */
  stored(monitorIds: string[]): Promise<StateRecord[]>;
}

/** Reads the unwritten data of shards from their owners. */
export class UnwrittenReader {
  readonly #deps: UnwrittenReaderDeps;

  readonly query = shardQuery({
    name: 'open',
    needsHours: true,
    params: unwrittenRequest,
    response: unwrittenResponse,
    fromMemory: (shard, { monitor_ids: ids, recent }) =>
      fromMemory(shard, ids, recent, this.#deps.clock.now()),
  });

  /** States contain no accounted time, so the owner does not compute it. */
  readonly liveQuery = shardQuery({
    name: 'live',
    params: liveRequest,
    response: liveResponse,
    fromMemory: ({ state: { monitors } }, { monitor_ids: ids }) => {
      const now = this.#deps.clock.now();
      return ids.flatMap((id) => {
        const monitor = monitors.get(id);
        return monitor ? [{ monitor_id: id, live: viewLive(monitor.state, now) }] : [];
      });
    },
  });

  constructor(deps: UnwrittenReaderDeps) {
    this.#deps = deps;
  }

  /**
   * Leaves out unknown monitors. At most 2 s old while owners respond. If an owner is unavailable, documents
   * are used: they have every change of status, but their times may be outdated.
   */
  async states(monitorIds: string[]): Promise<Map<string, MonitorLive>> {
    const responses = await inChunks(this.#deps.owners.shardMap, monitorIds, async (shard, ids) => {
      const response = await this.#deps.owners.requestOnce(shard, this.liveQuery, { monitor_ids: ids });
      if (!response) return this.#fromStore(ids);
      return response.map(({ monitor_id: id, live }) => [id, live] as const);
    });
    return new Map(responses.flat());
  }

  /**
   * Unwritten counts of these monitors, and their `recent` newest results. Leaves out unknown monitors.
   * @throws AppError SERVICE_UNAVAILABLE if an owner does not respond.
   */
  async read(
    monitorIds: string[], recent: number,
  ): Promise<{ monitors: Map<string, UnwrittenMonitor>; recent: RecentResult[] }> {
    const responses = await inChunks(this.#deps.owners.shardMap, monitorIds, (shard, ids) =>
      this.#deps.owners.request(shard, this.query, { monitor_ids: ids, recent }));
    const monitors = new Map<string, UnwrittenMonitor>();
    for (const monitor of responses.flatMap((response) => response.monitors)) {
      monitors.set(monitor.monitor_id, monitor);
    }
    return { monitors, recent: newestOf(responses.flatMap((response) => response.recent), recent) };
  }

  async #fromStore(ids: string[]): Promise<(readonly [string, MonitorLive])[]> {
    const now = this.#deps.clock.now();
    return (await this.#deps.stored(ids)).map(({ monitor_id: id, state }) => [id, viewLive(state, now)]);
  }
}

/** Queries all shards of these monitors concurrently, each in chunks of MAX_MONITORS_PER_QUERY. */
async function inChunks<A>(
  shardMap: ShardMap, monitorIds: string[], request: (shard: number, ids: string[]) => Promise<A>,
): Promise<A[]> {
  const byShard = grouped(monitorIds, (id) => shardMap.of(id));
  const responses = await Promise.all([...byShard].map(async ([shard, ids]) => {
    const found: A[] = [];
    for (let at = 0; at < ids.length; at += MAX_MONITORS_PER_QUERY) {
      found.push(await request(shard, ids.slice(at, at + MAX_MONITORS_PER_QUERY)));
    }
    return found;
  }));
  return responses.flat();
}

function fromMemory(
  { state, writer }: ShardView, ids: string[], recent: number, now: number,
): UnwrittenResponse {
  const monitors = ids.flatMap((id) => {
    const monitor = state.monitors.get(id);
    return monitor ? [{ id, monitor }] : [];
  });
  // The newest results are always among those of the most recently checked monitors.
  const lastCheck = ({ monitor }: (typeof monitors)[number]): number => monitor.state.last_check_at ?? 0;
  const latestFirst = [...monitors].sort((a, b) => lastCheck(b) - lastCheck(a));
  const latest = recent === 0 ? [] : latestFirst.slice(0, recent);
  return {
    monitors: monitors.map(({ id, monitor }) => toUnwrittenMonitor(id, monitor, now, writer)),
    recent: newestOf(latest.flatMap(({ id, monitor }) => recentOf(id, monitor, recent)), recent),
  };
}

/** The newest of these results, newest first. */
export function newestOf(results: RecentResult[], limit: number): RecentResult[] {
  return results.sort((a, b) => b.checked_at - a.checked_at).slice(0, limit);
}
