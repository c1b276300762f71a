import type { Company } from '../../shared/company.ts';
import type { Log } from '../../shared/log.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import type { BusIdentities, BusUser } from '../platform/bus/identities-port.ts';
import { probeUser } from './bus-user.ts';
import { isEnrolled } from './probe.ts';
import type { ProbeStore } from './store.ts';

/** Corrects what another controller changed, or one that died between the database and NATS. */
const AGREE_EVERY_MS = 5000;

interface IdentityDeps {
  probes: Pick<ProbeStore, 'list'>;
  /** Those who may connect besides probes. */
  others: () => BusUser[];
  identities: BusIdentities;
  clock: Clock;
  log: Log;
  company: Company;
}

/** Rounds that make NATS accept the probes as the database has them and the other users, and nobody else. */
export function identityRounds(deps: IdentityDeps): Rounds {
  const { probes, others, identities, clock, log, company } = deps;
  return new Rounds({
    clock,
    everyMs: AGREE_EVERY_MS,
    quietMs: AGREE_EVERY_MS,
    company,
    round: async () => {
      const enrolled = (await probes.list()).filter(isEnrolled);
      await identities.publish([...enrolled.map(probeUser), ...others()]);
      return 'quiet';
    },
    onFailed: (error) => log.warn({ err: error }, 'NATS identities not published'),
  });
}
