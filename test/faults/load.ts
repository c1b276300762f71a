import type { CheckResult } from '../../shared/contracts/result.ts';
import { allArrived } from '../helpers/all-arrived.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { countUnjournaled, readLedger, slotFaults, storeUrl } from '../helpers/ledger.ts';
import type { TestMongo } from '../helpers/mongo.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { NO_EXAMINATIONS, startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';

/** The timeout of a check: a whole interval, so that no check fails because the machine is slow. */
const INTERVAL_SECONDS = 2;
/** Monitors of one request. */
const MAX_BULK_SIZE = 500;

/** How a monitor was created. */
export interface CreatedMonitor {
  /** Path of its target. */
  path: string;
  /** Failures that a recheck must confirm. */
  retries: number;
  regions: number;
  intervalMs: number;
}

interface Change {
  interval_seconds?: number;
  confirmation_policy?: { regions?: unknown; retries?: number };
  monitoring_regions?: readonly string[];
  [field: string]: unknown;
}

export interface IncidentView {
  id: string;
  status: string;
  check_id: string;
}

interface ReceivedAlert {
  event: string;
  incident: { id: string };
  monitor: { id: string };
}

/** True if the probe itself had problems when the check failed, so it says nothing about the target. */
function isSpoilt({ missed }: CheckResult): boolean {
  return missed?.count === 1 && (missed.reason === 'overload' || missed.reason === 'probe_unhealthy');
}

/** Real processes, however they were started. */
export interface Installation {
  readonly url: string;
  /** Output of all processes. */
  log(): string;
  /** Processes that ended unexpectedly, and unhandled promise rejections. */
  deaths(): Promise<number>;
  stop(): Promise<void>;
}

/** Short intervals, alerts to this machine, and no rate limit. */
export const LOAD_SETTINGS = Object.freeze({
  MIN_INTERVAL_SECONDS: '1', ALLOW_PRIVATE_DESTINATIONS: 'true', RATE_LIMIT: '1000000', LOG_LEVEL: 'info',
  ...NO_EXAMINATIONS,
});

/**
 * A complete installation of real processes under load: monitors checked every two seconds, and a receiver of
 * their alerts.
 */
export class Load<Of extends Installation = Farwatch> {
  readonly farwatch: Of;
  readonly target: Target;
  readonly receiver: Receiver;
  readonly session: ApiSession;
  /** The database itself, if the installation has its own or connects through a proxy. */
  store: Pick<TestMongo, 'url' | 'database'> | null;
  #monitors = new Map<string, CreatedMonitor>();

  constructor(
    parts: Pick<Load<Of>, 'farwatch' | 'target' | 'receiver' | 'session'>, store: TestMongo | null,
  ) {
    this.farwatch = parts.farwatch;
    this.target = parts.target;
    this.receiver = parts.receiver;
    this.session = parts.session;
    this.store = store;
  }

  /** `store` is the database itself if the installation connects through a proxy. */
  static async start(env: Record<string, string> = {}, store: TestMongo | null = null): Promise<Load> {
    return Load.on(startFarwatch({ env: { ...LOAD_SETTINGS, ...env } }), store);
  }

  /** Puts load on an installation that runs with LOAD_SETTINGS. */
  static async on<Of extends Installation>(
    starting: Promise<Of>, store: TestMongo | null = null,
  ): Promise<Load<Of>> {
    const [farwatch, target, receiver] = await Promise.all([starting, startTarget(), startReceiver()]);
    const session = await new ApiSession(farwatch.url).begin();
    await session.ok(
      'POST', '/api/integrations',
      { name: 'On call', type: 'webhook', is_default: true, config: { url: receiver.url } },
    );
    return new Load({ farwatch, target, receiver, session }, store);
  }

  /** Creates a monitor with its own path. */
  async createMonitor(path: string, change: Change = {}): Promise<string> {
    const interval_seconds = change.interval_seconds ?? INTERVAL_SECONDS;
    const body = {
      name: path, type: 'HTTP', target: `${this.target.url}${path}`, ...change, interval_seconds,
    };
    const { monitor } = await this.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', body);
    this.#monitors.set(monitor.id, {
      path, retries: change.confirmation_policy?.retries ?? 1, regions: change.monitoring_regions?.length ?? 1,
      intervalMs: interval_seconds * 1000,
    });
    return monitor.id;
  }

  /** Creates monitors that stay up; resolves when each has been checked. */
  async steady(count: number, name: string, change: Change = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) {
      ids.push(await this.createMonitor(`/${name}/${at}`, { confirmation_policy: { retries: 5 }, ...change }));
    }
    await until(
      () => ids.every((id) => this.countOf(id) > 1), { what: 'checks run' },
    );
    return ids;
  }

  /** Requests that the target received for a monitor. */
  countOf(id: string): number {
    return this.target.countOf(this.#monitors.get(id)?.path ?? '');
  }

  get monitors(): ReadonlyMap<string, CreatedMonitor> {
    return this.#monitors;
  }

  get ids(): string[] {
    return [...this.#monitors.keys()];
  }

  /** Checks according to a monitor's statistics; 0 while the API has none. */
  async checksOf(id: string): Promise<number> {
    return (await this.#statsOf(id))?.total_checks ?? 0;
  }

  /** The uptime of the last 24 hours that the API shows, in percent; null while it has none. */
  async uptimeOf(id: string): Promise<number | null> {
    return (await this.#statsOf(id))?.uptime_percentage ?? null;
  }

  async #statsOf(id: string) {
    const { data } =
      await this.session.call('GET', `/api/monitors/${id}/stats`).catch(() => ({ data: undefined }));
    return data as { total_checks?: number; uptime_percentage?: number | null } | undefined;
  }

  async statusOf(id: string): Promise<string> {
    return (await this.session.ok<{ monitor: { runtimeStatus: string } }>(
      'GET', `/api/monitors/${id}`,
    )).monitor.runtimeStatus;
  }

  async incidents(ids: string[] = this.ids): Promise<IncidentView[]> {
    const { incidents } =
      await this.session.ok<{ incidents: IncidentView[] }>('GET', '/api/incidents?limit=100');
    return incidents.filter((incident) => ids.includes(incident.check_id));
  }

  /** Alerts that have arrived for a monitor, in order. */
  alertsOf(id: string): ReceivedAlert[] {
    return this.receiver.requests.map((request) => JSON.parse(String(request.body)) as ReceivedAlert).filter(
      (alert) => alert.monitor.id === id,
    );
  }

  /** Pauses all monitors that still exist, and waits until no probe has anything left. */
  async drain(gone: string[] = []) {
    const { session } = this;
    const living = this.ids.filter((id) => !gone.includes(id));
    const paused = { from: Date.now(), until: 0 };
    await this.#inBulk('pause', living);
    paused.until = Date.now();
    return { probes: await allArrived(session), paused };
  }

  /**
   * Drains the probes and reads the journal. `issued` are the checks that the target saw, `stored` those in the journal,
   * `spoilt` the slots missed although the target may have seen a check: all by monitor. `paused`:
   * the earliest and latest time of the pause, Unix ms. Waits at most `forMs` for the checks that
   * the target saw, because a check in progress at the pause is recorded when it ends.
   */
  async settle(gone: string[] = [], forMs = 0) {
    const { probes, paused } = await this.drain(gone);
    const issued = new Map(this.ids.map((id) => [id, this.countOf(id)]));
    let read = await this.#read();
    const areStored = () => this.ids.every((id) =>
      (issued.get(id) ?? 0) <= (read.stored.get(id) ?? 0) + (read.spoilt.get(id) ?? 0));
    await until(async () => areStored() || ((read = await this.#read()) && false), {
      timeoutMs: forMs, everyMs: 500,
    }).catch(() => undefined);
    const faults = [...this.#monitors].map(
      ([id, { intervalMs }]) => slotFaults(read.ledger.byMonitor.get(id) ?? [], intervalMs),
    );
    const sum = (of: 'unexplained' | 'doubled') =>
      faults.reduce((total, fault) => total + fault[of].length, 0);
    return {
      issued, holes: read.ledger.holes, due: faults.reduce((total, { due }) => total + due, 0),
      unexplained: sum('unexplained'), doubled: sum('doubled'), paused,
      spooled: probes.reduce((total, probe) => total + probe.spool_depth, 0), ...read,
    };
  }

  /** Waits until all changes of monitors so far have taken effect. */
  async changesJournaled(): Promise<void> {
    await until(async () => await countUnjournaled(...this.#database()) === 0, { what: 'the changes are journaled' });
  }

  #database(): [url: string, database?: string] {
    return this.store ? [this.store.url, this.store.database] : [storeUrl(this.farwatch.log())];
  }

  async #read() {
    const ledger = await readLedger(...this.#database());
    const countOf = (isCounted: (result: CheckResult) => boolean) => new Map(this.ids.map(
      (id) => [id, (ledger.byMonitor.get(id) ?? []).filter(isCounted).length],
    ));
    return { ledger, stored: countOf(({ outcome }) => outcome !== 'missed'), spoilt: countOf(isSpoilt) };
  }

  async forget(): Promise<void> {
    await this.#inBulk('delete', this.ids);
    this.#monitors = new Map();
  }

  /** Repeats a request while it is refused. */
  async #inBulk(action: 'pause' | 'delete', ids: string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += MAX_BULK_SIZE) {
      const monitor_ids = ids.slice(at, at + MAX_BULK_SIZE);
      await until(async () => (await this.session.call(
        'POST', '/api/monitors/bulk', { action, monitor_ids },
      )).status === 200, { what: action });
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.farwatch.stop(), this.target.close(), this.receiver.close()]);
  }
}
