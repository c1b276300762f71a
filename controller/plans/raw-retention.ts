import type { Clock } from '../../shared/time.ts';
import type { PlanLimits, Plans } from './plans.ts';

const DAY_MS = 86_400_000;
/** How late a change of plan is noticed. */
const FRESH_MS = 60_000;
/** Organizations that are remembered; beyond it all are looked up again. */
const REMEMBERED = 10_000;

export interface RawRetentionDeps {
  clock: Clock;
  plans: Plans;
  limitsOf(organizationId: string): Promise<Pick<PlanLimits, 'raw_results_days'>>;
}

interface Known {
  ms: number;
  /** Monotonic ms of the last look. */
  at: number;
}

/** How long organizations keep their results, for those who cannot wait for the database to ask. */
export class RawRetention {
  /** The longest of any plan, ms. */
  readonly longestMs: number;
  readonly #deps: RawRetentionDeps;
  readonly #known = new Map<string, Known>();

  constructor(deps: RawRetentionDeps) {
    this.#deps = deps;
    this.longestMs = Math.max(...Object.values(deps.plans).map((plan) => plan.raw_results_days)) * DAY_MS;
  }

  /** Ms by the organization's plan as of a minute ago; of one that is not known yet, the longest of any plan. */
  of(organizationId: string): number {
    const now = this.#deps.clock.monotonic();
    const known = this.#known.get(organizationId);
    if (known && now - known.at < FRESH_MS) return known.ms;
    if (!known && this.#known.size >= REMEMBERED) this.#known.clear();
    const stale = { ms: known?.ms ?? this.longestMs, at: now };
    this.#known.set(organizationId, stale);
    this.#deps.limitsOf(organizationId).then(({ raw_results_days: days }) => {
      stale.ms = days * DAY_MS;
    }).catch(() => {
      stale.at = -Infinity;
    });
    return stale.ms;
  }
}
