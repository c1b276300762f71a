import { backoffMs } from '../../../shared/backoff.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { isDatabaseUnavailable, writeAllOrEach } from '../../platform/mongo/mongo-errors.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { StateRecord } from '../state/records.ts';
import type { MonitorEffect, StatusChange } from '../../verdicts/monitor-state.ts';
import type { CertificateStore } from './certificate-store.ts';
import type { FeatureStore } from './feature-store.ts';
import type { StateStore } from './state-store.ts';
import type { AlertsPort, IncidentsPort, TargetChangesPort } from '../../verdicts/effect.ts';

/** First and longest backoff for a monitor that was set aside. */
const BACKOFF = { minMs: 1000, maxMs: 300_000 };
/**
 * Limit of queued changes per monitor. Further ones are in the journal, for the next instance of the shard.
 */
const MAX_WAITING = 1000;

export interface MonitorWritesDeps {
  clock: Clock;
  log: Log;
  stores: OutboxPorts;
  /** Called when a record and its effects are stored. */
  onWritten(record: StateRecord): void;
}

interface SetAsideMonitor {
  /** In order: a later state must not hide the effects of an earlier one. */
  waiting: StateRecord[];
  failures: number;
  timer: Timer | null;
  /** Changes were dropped after the queued ones, so this instance does not write the monitor again. */
  isCut: boolean;
}

/**
 * Writes changed states and their effects. A monitor whose write is refused is set aside and retried
 * separately, without blocking the others.
 */
export class MonitorWrites {
  readonly #deps: MonitorWritesDeps;
  readonly #setAsideMonitors = new Map<string, SetAsideMonitor>();
  readonly #written = new WeakSet<StateRecord>();
  #retries: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: MonitorWritesDeps) {
    this.#deps = deps;
  }

  /** Number of monitors that are set aside. */
  get aside(): number {
    return this.#setAsideMonitors.size;
  }

  /** @throws Error if the database does not respond. A repeat skips what was written. */
  async write(records: StateRecord[]): Promise<void> {
    for (const record of records) this.#queueIfSetAside(record);
    const free = records.filter((record) =>
      !this.#setAsideMonitors.has(record.monitor_id) && !this.#written.has(record));
    await writeAllOrEach(free, {
      write: (some) => this.#persist(some),
      isAboutItems: (error) => !isDatabaseUnavailable(error),
      setAside: (record, error) => this.#setAside(record, error),
    });
  }

  /** Leaves what could not be written to the next instance of the shard. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#setAsideMonitors.values()) timer?.cancel();
    await this.#retries;
  }

  async #persist(records: StateRecord[]): Promise<void> {
    await persistChanges(this.#deps.stores, records);
    for (const record of records) {
      this.#written.add(record);
      this.#deps.onWritten(record);
    }
  }

  #setAside(record: StateRecord, error: unknown): void {
    const { monitor_id: id } = record;
    this.#deps.log.error(
      { err: error, monitor: id }, 'could not write a monitor; it is retried separately',
    );
    const aside: SetAsideMonitor = { waiting: [record], failures: 0, timer: null, isCut: false };
    this.#setAsideMonitors.set(id, aside);
    this.#schedule(id, aside);
  }

  #queueIfSetAside(record: StateRecord): void {
    const aside = this.#setAsideMonitors.get(record.monitor_id);
    if (!aside || aside.waiting.includes(record)) return;
    if (aside.waiting.length < MAX_WAITING) aside.waiting.push(record);
    else aside.isCut = true;
  }

  #schedule(id: string, aside: SetAsideMonitor): void {
    if (this.#isStopped) return;
    aside.failures += 1;
    aside.timer = this.#deps.clock.setTimer(backoffMs(aside.failures, BACKOFF), () => {
      this.#retries = Promise.all([this.#retries, this.#retry(id, aside)]).then(() => undefined);
    });
  }

  async #retry(id: string, aside: SetAsideMonitor): Promise<void> {
    try {
      for (let next = aside.waiting[0]; next && !this.#isStopped; next = aside.waiting[0]) {
        await this.#persist([next]);
        aside.waiting.shift();
      }
      if (aside.waiting.length === 0 && !aside.isCut) this.#setAsideMonitors.delete(id);
    } catch (error) {
      this.#deps.log.warn({ err: error, monitor: id }, 'still could not write a monitor');
      this.#schedule(id, aside);
    }
  }
}

/** Records that a monitor's document is up to date with entry `position`. */
export function markSaved(monitor: LiveMonitor | undefined, position: number): void {
  if (!monitor || monitor.unsavedFrom === null) return;
  monitor.unsavedFrom = monitor.position <= position ? null : Math.max(monitor.unsavedFrom, position + 1);
}

/** Monitors whose effects are carried out concurrently. */
const MAX_CONCURRENT_OUTBOXES = 16;

export interface StatusHistory {
  /** Inserts if absent. */
  add(change: StatusChange): Promise<void>;
}

export interface OutboxPorts {
  states: Pick<StateStore, 'load' | 'find' | 'write' | 'clearOutboxes' | 'remove'>;
  history: StatusHistory;
  incidents: IncidentsPort;
  alerts: AlertsPort;
  certificates: Pick<CertificateStore, 'save' | 'remove'>;
  features: Pick<FeatureStore, 'save' | 'remove'>;
  targetChanges: TargetChangesPort;
}

/**
 * Writes changed states and carries out their effects: stores the state with its outbox in one write, carries
 * out the effects in order, then empties the outbox. Each step is idempotent, because each effect has its own
 * id.
 */
async function persistChanges(ports: OutboxPorts, changed: StateRecord[]): Promise<void> {
  if (changed.length === 0) return;
  await ports.states.write(changed);
  await carryOut(ports, changed);
}

/** Carries out stored outboxes, such as those left by a crash. */
async function carryOut(ports: OutboxPorts, records: StateRecord[]): Promise<void> {
  const full = records.filter((record) => record.outbox.length > 0);
  for (let at = 0; at < full.length; at += MAX_CONCURRENT_OUTBOXES) {
    await Promise.all(
      full.slice(at, at + MAX_CONCURRENT_OUTBOXES).map((record) => carryOutOne(ports, record.outbox)),
    );
  }
  if (full.length > 0) {
    await ports.states.clearOutboxes(full.map(({ monitor_id, position }) => ({ monitor_id, position })));
  }
}

async function carryOutOne(ports: OutboxPorts, outbox: MonitorEffect[]): Promise<void> {
  for (const effect of outbox) {
    if (effect.kind === 'status') await ports.history.add(effect.change);
    else if (effect.kind === 'open') await ports.incidents.open(effect.opening);
    else if (effect.kind === 'resolve') await ports.incidents.resolve(effect.resolution);
    else if (effect.kind === 'alert') await ports.alerts.fanOut(effect.alert);
    else if (effect.kind === 'region') await ports.incidents.regionChanged(effect.change);
    else if (effect.kind === 'votes') await ports.incidents.recordVotes(effect.record);
    else if (effect.kind === 'features') await ports.features.save(effect.record);
    else if (effect.kind === 'sighting') await ports.targetChanges.record(effect.sighting);
    else await ports.certificates.save(effect.sighting);
  }
}
