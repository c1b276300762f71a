import PQueue from 'p-queue';
import { WorkClaims, type WorkClaim } from '../../../shared/work-claims.ts';
import type { Peers } from '../../../shared/peers.ts';
import type { Log } from '../../../shared/log.ts';
import { ONLY_CONTROLLER_INTERVAL_MS, PeriodicTask } from '../../../shared/periodic-task.ts';
import type { Clock } from '../../../shared/time.ts';
import type { IncidentDoc } from '../../incidents/incident.ts';

interface FollowerDeps {
  incidents: {
    /** Incidents that pages must be notified of by `until` (Unix ms), without those `held`. */
    dueForPages(until: number, limit: number, held: readonly string[]): Promise<IncidentDoc[]>;
    /** Claims an incident for one controller; null if it has changed since `seen`. */
    claimForPages(seen: IncidentDoc, claim: WorkClaim): Promise<IncidentDoc | null>;
    /** Marks the claimed version as posted on these pages. */
    markPagesNotified(claimed: IncidentDoc, pageIds: string[]): Promise<void>;
  };
  /** Returns the ids of the pages with a post on the incident. */
  follow(incident: IncidentDoc): Promise<string[]>;
  clock: Clock;
  log: Log;
  peers: Peers;
  /** Name of this controller. */
  holder: string;
}

const POLL_INTERVAL_MS = 5000;
/** Incidents per run; if there are more, the next run follows at once. */
const BATCH_SIZE = 100;
/** Incidents posted concurrently. */
const CONCURRENCY = 4;
/** Longer than posting one incident takes; then another controller repeats it. */
const CLAIM_MS = 60_000;

/**
 * Posts incidents on pages. Each change of an incident is stored with a mark that stays until its pages are
 * updated, so a crash loses none and alerts never wait for pages.
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

  /** Called when an incident has changed. */
  trigger(): void {
    if (this.#isStarted) this.#task.trigger();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Posts the incidents that are due now. Resolves to true if there are more. */
  async run(): Promise<boolean | 'idle'> {
    const { incidents, clock } = this.#deps;
    const workClaims = this.#workClaims;
    const dueBefore = clock.now() + ONLY_CONTROLLER_INTERVAL_MS;
    const upcoming = await incidents.dueForPages(dueBefore, BATCH_SIZE, workClaims.heldTokens);
    const due = upcoming.filter(({ pages_due: at = Infinity }) => at <= clock.now());
    const free = due.filter(({ claim }) => workClaims.isFree(claim));
    const queue = new PQueue({ concurrency: CONCURRENCY });
    await queue.addAll(free.map((incident) => () => this.#publish(incident)));
    // Claims of others may expire and become ours.
    if (upcoming.length === 0 && workClaims.heldTokens.length === 0) return 'idle';
    return due.length === BATCH_SIZE && free.length > 0;
  }

  /** A failure doesn't delay other incidents; the mark stays for a retry. */
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
