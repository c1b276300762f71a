import { subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { Bus, BusSubscription } from '../platform/bus/bus-port.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { SubscriptionStore } from './store.ts';
import type { SubscriptionDoc } from './subscription.ts';

/** Picks up changes whose announcement got lost. */
const READ_INTERVAL_MS = 30_000;

interface DirectoryDeps {
  store: Pick<SubscriptionStore, 'list'>;
  bus: Pick<Bus, 'publish' | 'subscribe' | 'onReconnect'>;
  clock: Clock;
  log: Log;
}

/** In-memory copy of all subscriptions. Controllers announce changes to each other. */
export class SubscriptionDirectory {
  readonly #deps: DirectoryDeps;
  readonly #readTask: PeriodicTask;
  readonly #listeners: (() => void)[] = [];
  #all: readonly SubscriptionDoc[] = [];
  /** Those with subscribers. */
  readonly organizations = new Set<string>();
  #notifications: BusSubscription | null = null;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
    this.#readTask = new PeriodicTask({
      clock: deps.clock,
      intervalMs: READ_INTERVAL_MS,
      task: () => this.#read(),
      onError: (error) => deps.log.warn({ err: error }, 'could not read subscriptions; using the last known ones'),
    });
  }

  all(): readonly SubscriptionDoc[] {
    return this.#all;
  }

  /** Calls `listener` after each read that found a change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Rejects if the first read fails. */
  async start(): Promise<void> {
    const { bus } = this.#deps;
    this.#notifications = bus.subscribe(subjects.notifySubscriptions, () => this.#readTask.trigger());
    bus.onReconnect(() => this.#readTask.trigger());
    await this.#readTask.run();
    this.#readTask.start();
  }

  async stop(): Promise<void> {
    await this.#notifications?.stop();
    await this.#readTask.stop();
  }

  /** Resolves after a read that started after this call. Rejects if the database does not respond. */
  refresh(): Promise<void> {
    return this.#readTask.run();
  }

  /** Makes the other controllers read immediately. */
  announce(): void {
    this.#deps.bus.publish(subjects.notifySubscriptions, '');
  }

  async #read(): Promise<void> {
    const found = await this.#deps.store.list();
    const currentIds = new Set(this.#all.map(({ _id }) => _id));
    const isSame = found.length === currentIds.size && found.every(({ _id }) => currentIds.has(_id));
    if (isSame) return;
    this.#all = found;
    this.organizations.clear();
    for (const { organization_id } of found) this.organizations.add(organization_id);
    for (const listener of this.#listeners) listener();
  }
}
