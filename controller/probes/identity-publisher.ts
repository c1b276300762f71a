import { subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { Bus, BusSubscription } from '../platform/bus/bus-port.ts';
import type { BusIdentities, BusUser, SuspendedIdentities } from '../platform/bus/identities-port.ts';
import type { Peers } from '../work/peers.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import { probeUser } from './bus-user.ts';
import { isEnrolled, type EnrolledProbe, type ProbeDoc } from './probe.ts';
import type { ProbeStore } from './store.ts';

/** Corrects changes by other controllers, and those whose controller crashed between database and NATS. */
const PUBLISH_INTERVAL_MS = 5000;

interface IdentityPublisherDeps {
  bus: Pick<Bus, 'publish' | 'subscribe' | 'onReconnect' | 'flush'>;
  probes: Pick<ProbeStore, 'list'>;
  /** Users other than probes that may connect. */
  otherUsers: () => Promise<BusUser[]>;
  identities: BusIdentities;
  limit: SuspendedIdentities;
  /** Receives all probes of each run. Returns true if a probe still needs work. */
  onProbesRead: (probes: ProbeDoc[]) => boolean;
  clock: Clock;
  log: Log;
  peers: Peers;
}

/** Makes NATS accept exactly the probes in the database and the other users. */
export class IdentityPublisher {
  readonly #deps: IdentityPublisherDeps;
  readonly #task: PeriodicTask;
  #changes = 0;
  #subscription: BusSubscription | null = null;

  constructor(deps: IdentityPublisherDeps) {
    this.#deps = deps;
    this.#task = new PeriodicTask({
      clock: deps.clock,
      intervalMs: PUBLISH_INTERVAL_MS,
      idleIntervalMs: PUBLISH_INTERVAL_MS,
      peers: deps.peers,
      task: () => this.#publish(),
      onError: (error) => {
        this.#invalidate();
        deps.log.warn({ err: error }, 'could not publish NATS identities');
      },
    });
  }

  /** Rejects when the database does not answer. */
  async start(): Promise<void> {
    const { bus } = this.#deps;
    this.#subscription = bus.subscribe(subjects.notifyIdentities, () => this.refresh());
    // Notifications may have been missed before NATS had the subscription.
    bus.onReconnect(() => this.refresh());
    await this.#task.run();
    this.#task.start();
    void bus.flush().then(() => this.refresh(), () => undefined);
  }

  async stop(): Promise<void> {
    // From now on nobody tells us who has lost an identity.
    this.#invalidate();
    await Promise.all([this.#subscription?.stop(), this.#task.stop()]);
  }

  /** What has changed counts from now on for each controller that hears of it. */
  announce(): void {
    this.#deps.bus.publish(subjects.notifyIdentities, '');
    this.#invalidate();
  }

  /** Resolves when NATS has the identities that the database has now. */
  publish(): Promise<void> {
    return this.#task.run();
  }

  /** Publishes soon, because something may have changed. */
  refresh(): void {
    this.#invalidate();
    this.#task.trigger();
  }

  /** Call after any possible change. A run that begins afterwards includes it. */
  #invalidate(): void {
    this.#changes += 1;
    this.#deps.identities.invalidate();
  }

  async #publish(): Promise<'idle' | undefined> {
    const { probes, otherUsers, identities, limit, onProbesRead } = this.#deps;
    const changesBefore = this.#changes;
    const all = await probes.list();
    const users = uniqueByKey([...all.filter(isEnrolled).flatMap(usersOf), ...(await otherUsers())]);
    const hasSuspended = limit.hasSuspended();
    const admitted = users.filter(({ public_key: key }) => !limit.isSuspended(key));
    const isSettled = await identities.publish(admitted, this.#changes === changesBefore);
    return onProbesRead(all) || !isSettled || hasSuspended ? undefined : 'idle';
  }
}

/** The probe under its current key and, during a rotation, the next one. */
function usersOf(probe: EnrolledProbe): BusUser[] {
  const keys = probe.next_public_key ? [probe.public_key, probe.next_public_key] : [probe.public_key];
  return keys.map((public_key) => probeUser({ ...probe, public_key }));
}

/** A duplicate key, which the holder of a seed could cause, would make NATS reject the whole list. */
function uniqueByKey(users: BusUser[]): BusUser[] {
  return [...new Map(users.map((user) => [user.public_key, user])).values()];
}
