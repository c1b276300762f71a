import type { Log } from '../../shared/log.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import { isEnrolled, type ProbeIdentities } from './probe.ts';
import type { ProbeStore } from './store.ts';

/** Corrects what another controller changed, or one that died between the database and NATS. */
const AGREE_EVERY_MS = 5000;

interface IdentityDeps {
  probes: Pick<ProbeStore, 'all'>;
  identities: ProbeIdentities;
  clock: Clock;
  log: Log;
}

/** Rounds that make NATS accept the probes as the database has them, and no others. */
export function identityRounds({ probes, identities, clock, log }: IdentityDeps): Rounds {
  return new Rounds({
    clock,
    everyMs: AGREE_EVERY_MS,
    round: async () => {
      const users = (await probes.all()).filter(isEnrolled).map((probe) => ({
        probe_id: probe._id, region: probe.region_id, public_key: probe.public_key,
      }));
      await identities.publish(users);
    },
    onFailed: (error) => log.warn({ err: error }, 'NATS identities not published'),
  });
}
