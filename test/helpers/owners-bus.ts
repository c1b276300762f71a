import type { LiveEvent } from '../../controller/events/event.ts';
import type { BusSubscription } from '../../controller/platform/bus/bus-port.ts';
import { BusError } from '../../shared/bus-error.ts';
import type {
  MonitorLive, UnwrittenResponse, UnwrittenMonitor,
} from '../../controller/results/reading/recent/unwritten-monitor.ts';
import type { PeriodStats, RecentResult } from '../../controller/results/reading/periods.ts';
import type { ControllerBus } from '../../controller/wiring/ports.ts';
import { shardOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import { shardMap } from './shard-map.ts';

export type Figures = Pick<PeriodStats, 'uptime_percentage' | 'avg_response_time' | 'total_checks' | 'failed_checks'>;

/** Queries between controllers. */
type Query = 'open' | 'live' | 'latest' | 'rows' | 'health';

const HOUR_MS = 3_600_000;
const NO_SUBSCRIPTION: BusSubscription = { stop: async () => undefined };

/**
 * The bus of a controller without background work, for tests without NATS. Responds as the shards' owners with values
 * set by the test, and records notifications and live events.
 */
export class OwnersBus implements ControllerBus {
  readonly isClustered = false;
  readonly isConnected = true;
  readonly server = '127.0.0.1:1';
  readonly maxPayload = 1_048_576;

  async flush(): Promise<void> {}
  /** What the owners know about monitors. */
  readonly live = new Map<string, MonitorLive>();
  /** Statistics of monitors in `live` that have been checked. */
  readonly figures = new Map<string, Figures>();
  recent: RecentResult[] = [];
  /** Queries that no owner responds to. */
  readonly unavailable = new Set<Query>();
  /** Shards that were notified, in order. */
  readonly notifiedShards: number[] = [];
  /** Live events that were published, in order. */
  readonly publishedEvents: LiveEvent[] = [];

  publish(subject: string, data: Uint8Array | string): void {
    if (subject.startsWith('poke.')) this.notifiedShards.push(shardOfSubject(subject) as number);
    if (subject.startsWith('events.')) this.publishedEvents.push(JSON.parse(String(data)) as LiveEvent);
  }

  async request(subject: string, data: Uint8Array | string): Promise<Uint8Array> {
    const shard = shardOfSubject(subject) ?? -1;
    const params = JSON.parse(String(data)) as { monitor_ids: string[] };
    const responses: Record<Query, () => object> = {
      open: () => this.#open(params.monitor_ids),
      live: () => this.#open(params.monitor_ids).monitors,
      latest: () => this.#latest(shard),
      rows: () => ({ hours: [], rows: [] }),
      health: () => ({ counts: { up: 0, down: 0, degraded: 0 }, slowest: [], flakiest: [] }),
    };
    for (const name of Object.keys(responses) as Query[]) {
      const isMatch = subject === subjects.query(shard, name) && !this.unavailable.has(name);
      if (isMatch) return Buffer.from(JSON.stringify(responses[name]()));
    }
    throw new BusError('no_responders', subject);
  }

  subscribe(): BusSubscription {
    return NO_SUBSCRIPTION;
  }

  onReconnect(): void {}

  async close(): Promise<void> {}

  async requestMany(subject: string): Promise<Uint8Array[]> {
    throw new BusError('no_responders', subject);
  }

  async jetStream(): Promise<never> {
    throw new BusError('no_responders', 'jetStream');
  }

  stats(): ReturnType<ControllerBus['stats']> {
    return { dropped: 0, handlerErrors: 0, reconnects: 0, inMessages: 0, outMessages: 0 };
  }

  #open(ids: string[]): UnwrittenResponse {
    const monitors = ids.flatMap((id) => {
      const live = this.live.get(id);
      return live === undefined ? [] : [openMonitorOf(id, live, this.figures.get(id))];
    });
    return { monitors, recent: this.recent.filter(({ monitor_id: id }) => ids.includes(id)) };
  }

  #latest(shard: number): { monitor_id: string; at: number }[] {
    const checks = this.recent.map(({ monitor_id, checked_at: at }) => ({ monitor_id, at }));
    return checks.filter(({ monitor_id: id }, index) =>
      shardMap.of(id) === shard && checks.findIndex(({ monitor_id: other }) => other === id) === index);
  }
}

/** The response of an owner with these figures in its latest hour. */
function openMonitorOf(monitorId: string, live: MonitorLive, stats: Figures | undefined): UnwrittenMonitor {
  if (stats === undefined) return { monitor_id: monitorId, live, written: 'none', hours: [] };
  const { uptime_percentage: uptime, avg_response_time: meanMs, total_checks: total, failed_checks: failed } =
    stats;
  return {
    monitor_id: monitorId, live, written: JSON.stringify(stats),
    hours: [{
      hour: Math.floor(Date.now() / HOUR_MS) * HOUR_MS, first_entry: null, last_entry: null,
      counts: {
        total, failed, missed: 0, time_sum: Math.round((meanMs ?? 0) * 10),
        time_count: meanMs === null ? 0 : 1,
      },
      times: uptime === null ? null : [uptime * 1000, 0, (100 - uptime) * 1000],
    }],
  };
}
