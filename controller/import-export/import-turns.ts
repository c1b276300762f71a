import type { Log } from '../../shared/log.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import type { Tenant } from '../access/tenant.ts';
import { AppError } from '../errors/app-error.ts';
import { WorkClaims, type WorkClaim } from '../work/claimed-work.ts';
import type { ImportTurnStore } from './store.ts';

/** Longer than a request can run. After a crash, other controllers wait for as long. */
const CLAIM_MS = 600_000;
const MAX_WAIT_MS = 20_000;
const POLL_INTERVAL_MS = 250;

interface TurnDeps {
  turns: ImportTurnStore;
  clock: Clock;
  log: Log;
  /** This controller's id. */
  holder: string;
}

/**
 * Runs the imports of a project one after another, on whichever controller, so that two never mix. Within a
 * controller, the queue of their route does so already.
 */
export class ImportTurns {
  readonly #deps: TurnDeps;
  readonly #claims: WorkClaims;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
    this.#claims = new WorkClaims({ clock: deps.clock, holder: deps.holder, ttlMs: CLAIM_MS });
  }

  /** Throws CONFLICT if other imports of the project take too long, and the errors of `work`. */
  async run<T>(tenant: Tenant, work: () => Promise<T>): Promise<T> {
    const { turns, clock, log } = this.#deps;
    const claim = this.#claims.create();
    const until = clock.monotonic() + MAX_WAIT_MS;
    while (!await this.#acquire(tenant, claim)) {
      if (clock.monotonic() >= until) throw new AppError('CONFLICT', 'Another import of this project is running; try again');
      await sleep(clock, POLL_INTERVAL_MS);
    }
    try {
      return await work();
    } finally {
      await turns.release(tenant, claim).catch((error: unknown) => {
        log.warn({ err: error, project_id: tenant.projectId }, 'imports of a project stay blocked for some minutes');
      });
    }
  }

  async #acquire(tenant: Tenant, claim: WorkClaim): Promise<boolean> {
    const seen = await this.#deps.turns.read(tenant);
    return this.#claims.isFree(seen.claim) && this.#deps.turns.claim(seen, claim);
  }
}
