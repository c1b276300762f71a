import type { Log } from '../../shared/log.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import { isEnrolled, type ProbeIdentities } from './probe.ts';
import type { ProbeStore } from './store.ts';

/** Corrects what another controller changed, or one that died between the database and NATS. */
const AGREE_EVERY_MS = 5000;

interface IdentityKeeperDeps {
  store: Pick<ProbeStore, 'all'>;
  identities: ProbeIdentities;
  clock: Clock;
  log: Log;
}

/** Keeps NATS's knowledge of probes in step with the database. */
export class IdentityKeeper {
  readonly #rounds: Rounds;

  constructor({ store, identities, clock, log }: IdentityKeeperDeps) {
    this.#rounds = new Rounds({
      clock,
      everyMs: AGREE_EVERY_MS,
      round: async () => {
        const enrolled = (await store.all()).filter(isEnrolled);
        const users = enrolled.map(({ _id, region_id, public_key }) => {
          return { probe_id: _id, region: region_id, public_key };
        });
        await identities.publish(users);
      },
      onFailed: (error) => log.warn({ err: error }, 'NATS identities not published'),
    });
  }

  /** Rejects when the first agreement fails. */
  async start(): Promise<void> {
    await this.agree();
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Resolves once NATS knows the probes as the database has them after this call. */
  agree(): Promise<void> {
    return this.#rounds.run();
  }
}
