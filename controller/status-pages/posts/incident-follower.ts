import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { IncidentDoc } from '../../incidents/incident.ts';
import { DueWork } from '../../work/due-work.ts';
import type { Peers } from '../../work/peers.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import type { WorkClaim } from '../../work/work-claims.ts';

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
/** Longer than posting one incident takes. */
const CLAIM_MS = 60_000;

/**
 * Posts incidents on pages. Each change of an incident is stored with a mark that stays until its pages are
 * updated, so a crash loses none and alerts never wait for pages.
 */
export class IncidentFollower {
  readonly #deps: FollowerDeps;
  readonly #task: PeriodicTask;
  readonly #work: DueWork<IncidentDoc>;
  #isStarted = false;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    const { incidents, clock, log, peers, holder } = deps;
    this.#work = new DueWork({
      clock, holder, ttlMs: CLAIM_MS, dueAt: ({ pages_due }) => pages_due,
      store: {
        due: (...args) => incidents.dueForPages(...args),
        claim: (...args) => incidents.claimForPages(...args),
      },
    });
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
  run(): Promise<boolean | 'idle'> {
    const { incidents, follow, log } = this.#deps;
    const onError = (error: unknown, { _id }: IncidentDoc) =>
      log.warn({ err: error, incident_id: _id }, 'could not publish an incident on status pages');
    return this.#work.runDue({ limit: BATCH_SIZE, concurrency: CONCURRENCY, onError }, async (claimed) =>
      incidents.markPagesNotified(claimed, await follow(claimed)));
  }
}
