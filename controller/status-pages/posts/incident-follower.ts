import { Claims, type Claim } from '../../../shared/claims.ts';
import type { Company } from '../../../shared/company.ts';
import type { Log } from '../../../shared/log.ts';
import { ALONE_MS, Rounds } from '../../../shared/rounds.ts';
import type { Clock } from '../../../shared/time.ts';
import type { IncidentDoc } from '../../incidents/incident.ts';

interface FollowerDeps {
  incidents: {
    /** Incidents of whose last change pages are to be told by then (Unix ms), without those `held`. */
    untold(until: number, limit: number, held: readonly string[]): Promise<IncidentDoc[]>;
    /** Keeps others from telling it; null if it is no longer as it was seen. */
    claimUntold(seen: IncidentDoc, claim: Claim): Promise<IncidentDoc | null>;
    /** Pages know it as it was claimed; these have been given a post. */
    markTold(claimed: IncidentDoc, pageIds: string[]): Promise<void>;
  };
  /** Returns the ids of the pages that have been given a post. */
  follow(incident: IncidentDoc): Promise<string[]>;
  clock: Clock;
  log: Log;
  company: Company;
  /** The name of this controller. */
  holder: string;
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
  readonly #claims: Claims;
  #isStarted = false;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    const { clock, log, company, holder } = deps;
    this.#claims = new Claims({ clock, holder, lastsMs: CLAIM_MS });
    this.#rounds = new Rounds({
      clock, everyMs: LOOK_EVERY_MS, quietMs: LOOK_EVERY_MS, company, round: () => this.run(),
      onFailed: (error) => log.warn({ err: error }, 'could not publish incidents on status pages'),
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
    const claims = this.#claims;
    const soon = await incidents.untold(clock.now() + ALONE_MS, MOST_AT_A_LOOK, claims.held);
    const due = soon.filter(({ pages_due: at = Infinity }) => at <= clock.now());
    const free = due.filter(({ claim }) => claims.isFree(claim));
    for (let at = 0; at < free.length; at += AT_ONCE) {
      await Promise.all(free.slice(at, at + AT_ONCE).map((incident) => this.#tell(incident)));
    }
    // What others have claimed may be left to us.
    if (soon.length === 0 && claims.held.length === 0) return 'quiet';
    return due.length === MOST_AT_A_LOOK && free.length > 0;
  }

  /** One that cannot be told keeps none of the others; its mark stays. */
  async #tell(seen: IncidentDoc): Promise<void> {
    const { incidents, follow, log } = this.#deps;
    try {
      await this.#claims.under(
        (claim) => incidents.claimUntold(seen, claim),
        async (claimed) => incidents.markTold(claimed, await follow(claimed)),
      );
    } catch (error) {
      log.warn({ err: error, incident_id: seen._id }, 'could not publish an incident on status pages');
    }
  }
}
