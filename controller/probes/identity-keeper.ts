import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import { isEnrolled, type ProbeIdentities, type ProbeUser } from './probe.ts';
import type { ProbeStore } from './store.ts';

/** A controller that died between the database and NATS, or another controller's change, is made good by this. */
const AGREE_EVERY_MS = 5000;

export interface IdentityKeeperDeps {
  store: Pick<ProbeStore, 'all'>;
  identities: ProbeIdentities;
  clock: Clock;
  log: Log;
}

/** Keeps what NATS knows of probes in step with the database. */
export class IdentityKeeper {
  readonly #deps: IdentityKeeperDeps;
  #timer: Timer | null = null;
  #last: Promise<void> = Promise.resolve();
  #isWaiting = false;
  #next: Promise<void> = Promise.resolve();

  constructor(deps: IdentityKeeperDeps) {
    this.#deps = deps;
  }

  /** Rejects when the first agreement fails. */
  async start(): Promise<void> {
    await this.agree();
    this.#timer = this.#deps.clock.setRepeating(AGREE_EVERY_MS, () => {
      this.agree().catch((error: unknown) => this.#deps.log.warn({ err: error }, 'NATS identities not published'));
    });
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#last;
  }

  /** Publishes the probes as the database has them after the call. Callers that wait share one run. */
  agree(): Promise<void> {
    if (this.#isWaiting) return this.#next;
    this.#isWaiting = true;
    this.#next = this.#last.then(async () => {
      this.#isWaiting = false;
      await this.#deps.identities.publish((await this.#deps.store.all()).filter(isEnrolled).map(asUser));
    });
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }
}

function asUser(probe: { _id: string; public_key: string; region_id: string }): ProbeUser {
  return { public_key: probe.public_key, region: probe.region_id, probe_id: probe._id };
}
