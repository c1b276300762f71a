import type { Company } from '../../shared/company.ts';
import type { Log } from '../../shared/log.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import type { BusIdentities, BusUser, SuspendedIdentities } from '../platform/bus/identities-port.ts';
import { probeUser } from './bus-user.ts';
import { isEnrolled, type EnrolledProbe, type ProbeDoc } from './probe.ts';
import type { ProbeStore } from './store.ts';

/** Corrects what another controller changed, or one that died between the database and NATS. */
const AGREE_EVERY_MS = 5000;

interface IdentityDeps {
  probes: Pick<ProbeStore, 'list'>;
  /** Those who may connect besides probes. */
  others: () => Promise<BusUser[]>;
  identities: BusIdentities;
  limit: SuspendedIdentities;
  /** Receives all probes of each round; true if something is still to happen to one. */
  onRead: (probes: ProbeDoc[]) => boolean;
  clock: Clock;
  log: Log;
  company: Company;
}

/** Rounds that make NATS accept the probes as the database has them and the other users, and nobody else. */
export function identityRounds(deps: IdentityDeps) {
  const { probes, others, identities, limit, onRead, clock, log, company } = deps;
  let changes = 0;
  /** To be called when something has changed, or may have; a round that begins then has it. */
  const outdate = (): void => {
    changes += 1;
    identities.outdate();
  };
  const rounds = new Rounds({
    clock,
    everyMs: AGREE_EVERY_MS,
    quietMs: AGREE_EVERY_MS,
    company,
    round: async () => {
      const changesBefore = changes;
      const all = await probes.list();
      const users = eachKeyOnce([...all.filter(isEnrolled).flatMap(usersOf), ...(await others())]);
      const hasSuspended = limit.hasSuspended();
      const admitted = users.filter(({ public_key: key }) => !limit.isSuspended(key));
      const isSettled = await identities.publish(admitted, changes === changesBefore);
      return onRead(all) || !isSettled || hasSuspended ? undefined : 'quiet';
    },
    onFailed: (error) => {
      outdate();
      log.warn({ err: error }, 'could not publish NATS identities');
    },
  });
  return { rounds, outdate };
}

/** The probe by its key and, while it replaces that, by the next one. */
function usersOf(probe: EnrolledProbe): BusUser[] {
  const keys = probe.next_public_key ? [probe.public_key, probe.next_public_key] : [probe.public_key];
  return keys.map((public_key) => probeUser({ ...probe, public_key }));
}

/** Whoever holds a seed could name it twice, and NATS would refuse the whole list. */
function eachKeyOnce(users: BusUser[]): BusUser[] {
  return [...new Map(users.map((user) => [user.public_key, user])).values()];
}
