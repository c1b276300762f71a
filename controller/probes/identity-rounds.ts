import type { Company } from '../../shared/company.ts';
import type { Log } from '../../shared/log.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import type { ProbeIdentities } from './ports.ts';
import { isEnrolled } from './probe.ts';
import type { ProbeStore } from './store.ts';

/** Corrects what another controller changed, or one that died between the database and NATS. */
const AGREE_EVERY_MS = 5000;

interface IdentityDeps {
  probes: Pick<ProbeStore, 'list'>;
  identities: ProbeIdentities;
  clock: Clock;
  log: Log;
  company: Company;
}

/** Rounds that make NATS accept the probes as the database has them, and no others. */
export function identityRounds({ probes, identities, clock, log, company }: IdentityDeps): Rounds {
  return new Rounds({
    clock,
    everyMs: AGREE_EVERY_MS,
    quietMs: AGREE_EVERY_MS,
    company,
    round: async () => {
      await identities.publish((await probes.list()).filter(isEnrolled));
      return 'quiet';
    },
    onFailed: (error) => log.warn({ err: error }, 'NATS identities not published'),
  });
}
