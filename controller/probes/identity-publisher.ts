import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { BusIdentities, BusUser, SuspendedIdentities } from '../platform/bus/identities-port.ts';
import type { Peers } from '../work/peers.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import { probeUser } from './bus-user.ts';
import { isEnrolled, type EnrolledProbe, type ProbeDoc } from './probe.ts';
import type { ProbeStore } from './store.ts';

/** Corrects changes by other controllers, and those whose controller crashed between database and NATS. */
const PUBLISH_INTERVAL_MS = 5000;

interface IdentityPublisherDeps {
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

/** A periodic task that makes NATS accept exactly the probes in the database and the other users. */
export function createIdentityPublisher(deps: IdentityPublisherDeps) {
  const { probes, otherUsers, identities, limit, onProbesRead, clock, log, peers } = deps;
  let changes = 0;
  /** Call after any possible change. A run that begins afterwards includes it. */
  const invalidate = (): void => {
    changes += 1;
    identities.invalidate();
  };
  const task = new PeriodicTask({
    clock,
    intervalMs: PUBLISH_INTERVAL_MS,
    idleIntervalMs: PUBLISH_INTERVAL_MS,
    peers,
    task: async () => {
      const changesBefore = changes;
      const all = await probes.list();
      const users = uniqueByKey([...all.filter(isEnrolled).flatMap(usersOf), ...(await otherUsers())]);
      const hasSuspended = limit.hasSuspended();
      const admitted = users.filter(({ public_key: key }) => !limit.isSuspended(key));
      const isSettled = await identities.publish(admitted, changes === changesBefore);
      return onProbesRead(all) || !isSettled || hasSuspended ? undefined : 'idle';
    },
    onError: (error) => {
      invalidate();
      log.warn({ err: error }, 'could not publish NATS identities');
    },
  });
  return { task, invalidate };
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
