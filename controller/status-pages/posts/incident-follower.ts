import type { Company } from '../../../shared/company.ts';
import type { Log } from '../../../shared/log.ts';
import { ALONE_MS, Rounds } from '../../../shared/rounds.ts';
import type { Clock } from '../../../shared/time.ts';
import type { IncidentDoc } from '../../incidents/incident.ts';

interface FollowerDeps {
  incidents: {
    /** Incidents of whose last change pages are to be told by then (Unix ms). */
    untold(until: number, limit: number): Promise<IncidentDoc[]>;
    /** Keeps others from telling it until then; null if one of them was first. */
    claimUntold(seen: IncidentDoc, until: number): Promise<IncidentDoc | null>;
    /** Pages know it as it was claimed; these have been given a post. */
    markTold(claimed: IncidentDoc, pageIds: string[]): Promise<void>;
  };
  /** Returns the ids of the pages that have been given a post. */
  follow(incident: IncidentDoc): Promise<string[]>;
  clock: Clock;
  log: Log;
  company: Company;
}

const LOOK_EVERY_MS = 5000;
/** Incidents of one round; the next follows at once. */
const MOST_AT_A_LOOK = 100;
/** Incidents that pages are told of at the same time. */
const AT_ONCE = 4;
/** Longer than telling one incident takes; after that, another controller repeats it. */
const CLAIM_MS = 60_000;

/**
 * Tells pages of incidents. Each change of an incident is written with a mark that stays until pages know it,
 * so a crash loses none, and alerts never wait for pages.
 */
export class IncidentFollower {
  readonly #deps: FollowerDeps;
  readonly #rounds: Rounds;
  #isStarted = false;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    const { clock, log, company } = deps;
    this.#rounds = new Rounds({
      clock, everyMs: LOOK_EVERY_MS, quietMs: LOOK_EVERY_MS, company, round: () => this.run(),
      onFailed: (error) => log.warn({ err: error }, 'status pages could not be told of incidents'),
    });
  }

  start(): void {
    this.#isStarted = true;
    this.#rounds.start();
  }

  /** An incident has changed. */
  look(): void {
    if (this.#isStarted) this.#rounds.look();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Tells what is due now. Resolves to true if there is more. */
  async run(): Promise<boolean | 'quiet'> {
    const { incidents, clock } = this.#deps;
    const soon = await incidents.untold(clock.now() + ALONE_MS, MOST_AT_A_LOOK);
    const due = soon.filter(({ pages_due: at = Infinity }) => at <= clock.now());
    for (let at = 0; at < due.length; at += AT_ONCE) {
      await Promise.all(due.slice(at, at + AT_ONCE).map((incident) => this.#tell(incident)));
    }
    return soon.length === 0 ? 'quiet' : due.length === MOST_AT_A_LOOK;
  }

  /** One that cannot be told keeps none of the others; its mark stays. */
  async #tell(seen: IncidentDoc): Promise<void> {
    const { incidents, follow, clock, log } = this.#deps;
    const claimed = await incidents.claimUntold(seen, clock.now() + CLAIM_MS);
    if (claimed === null) return;
    try {
      await incidents.markTold(claimed, await follow(claimed));
    } catch (error) {
      log.warn({ err: error, incident_id: seen._id }, 'status pages could not be told of an incident');
    }
  }
}
