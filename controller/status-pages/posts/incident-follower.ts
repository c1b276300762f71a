import { WorkClaims, type WorkClaim } from '../../../shared/work-claims.ts';
import type { Peers } from '../../../shared/peers.ts';
import type { Log } from '../../../shared/log.ts';
import { ONLY_CONTROLLER_INTERVAL_MS, PeriodicTask } from '../../../shared/periodic-task.ts';
import type { Clock } from '../../../shared/time.ts';
import type { IncidentDoc } from '../../incidents/incident.ts';

interface FollowerDeps {
  incidents: {
    /** Incidents of whose last change pages are to be told by then (Unix ms), without those `held`. */
    dueForPages(until: number, limit: number, held: readonly string[]): Promise<IncidentDoc[]>;
    /** Keeps others from telling it; null if it is no longer as it was seen. */
    claimForPages(seen: IncidentDoc, claim: WorkClaim): Promise<IncidentDoc | null>;
    /** Pages know it as it was claimed; these have been given a post. */
    markPagesNotified(claimed: IncidentDoc, pageIds: string[]): Promise<void>;
  };
  /** Returns the ids of the pages that have been given a post. */
  follow(incident: IncidentDoc): Promise<string[]>;
  clock: Clock;
  log: Log;
  peers: Peers;
  /** The name of this controller. */
  holder: string;
}

const POLL_INTERVAL_MS = 5000;
/** Incidents of one round; the next follows at once. */
const BATCH_SIZE = 100;
/** Incidents that pages are told of at the same time. */
const CONCURRENCY = 4;
/** Longer than telling one incident takes; after that, another controller repeats it. */
const CLAIM_MS = 60_000;

/**
 * Tells pages of incidents. Each change of an incident is written with a mark that stays until pages know it,
 * so a crash loses none, and alerts never wait for pages.
 */
export class IncidentFollower {
  readonly #deps: FollowerDeps;
  readonly #task: PeriodicTask;
  readonly #workClaims: WorkClaims;
  #isStarted = false;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    const { clock, log, peers, holder } = deps;
    this.#workClaims = new WorkClaims({ clock, holder, ttlMs: CLAIM_MS });
    this.#task = new PeriodicTask({
      clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: POLL_INTERVAL_MS, peers, task: () => this.run(),
      onError: (error) => log.warn({ err: error }, 'could not publish incidents on status pages'),
    });
  }

  start(): void {
    this.#isStarted = true;
    this.#task.start();
  }

  /** An incident has changed. */
  trigger(): void {
    if (this.#isStarted) this.#task.trigger();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Tells what is due now. Resolves to true if there is more. */
  async run(): Promise<boolean | 'idle'> {
    const { incidents, clock } = this.#deps;
    const workClaims = this.#workClaims;
    const dueBefore = clock.now() + ONLY_CONTROLLER_INTERVAL_MS;
    const upcoming = await incidents.dueForPages(dueBefore, BATCH_SIZE, workClaims.heldTokens);
    const due = upcoming.filter(({ pages_due: at = Infinity }) => at <= clock.now());
    const free = due.filter(({ claim }) => workClaims.isFree(claim));
    for (let at = 0; at < free.length; at += CONCURRENCY) {
      await Promise.all(free.slice(at, at + CONCURRENCY).map((incident) => this.#publish(incident)));
    }
    // What others have claimed may be left to us.
    if (upcoming.length === 0 && workClaims.heldTokens.length === 0) return 'idle';
    return due.length === BATCH_SIZE && free.length > 0;
  }

  /** One that cannot be told keeps none of the others; its mark stays. */
  async #publish(seen: IncidentDoc): Promise<void> {
    const { incidents, follow, log } = this.#deps;
    try {
      await this.#workClaims.runClaimed(
        (claim) => incidents.claimForPages(seen, claim),
        async (claimed) => incidents.markPagesNotified(claimed, await follow(claimed)),
      );
    } catch (error) {
      log.warn({ err: error, incident_id: seen._id }, 'could not publish an incident on status pages');
    }
  }
}
