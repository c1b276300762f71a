import type { Clock } from '../../shared/time.ts';
import type { PlanLimits, Plans } from './plans.ts';

const DAY_MS = 86_400_000;
/** How long a change of plan may go unnoticed, ms. */
const FRESH_MS = 60_000;
/** Organizations in memory; beyond that all are read again. */
const LARGEST_CACHE = 10_000;

interface RawRetentionDeps {
  clock: Clock;
  plans: Plans;
  limitsOf(organizationId: string): Promise<Pick<PlanLimits, 'raw_results_days'>>;
}

/** How long the most generous plan keeps raw results, ms. */
export function longestRawMs(plans: Plans): number {
  return Math.max(...Object.values(plans).map((plan) => plan.raw_results_days)) * DAY_MS;
}

/** How long organizations keep raw results, for callers that cannot wait for the database. */
export class RawRetention {
  /** The longest of any plan, ms. */
  readonly longestMs: number;
  readonly #deps: RawRetentionDeps;
  /** `readAt` is on the monotonic clock, ms. */
  readonly #known = new Map<string, { ms: number; readAt: number }>();

  constructor(deps: RawRetentionDeps) {
    this.#deps = deps;
    this.longestMs = longestRawMs(deps.plans);
  }

  /** In ms, at most a minute old. The longest of any plan until the organization's own has been read. */
  of(organizationId: string): number {
    const now = this.#deps.clock.monotonic();
    const known = this.#known.get(organizationId);
    if (known && now - known.readAt < FRESH_MS) return known.ms;
    if (!known && this.#known.size >= LARGEST_CACHE) this.#known.clear();
    const entry = { ms: known?.ms ?? this.longestMs, readAt: now };
    this.#known.set(organizationId, entry);
    this.#deps.limitsOf(organizationId).then(
      ({ raw_results_days: days }) => (entry.ms = days * DAY_MS),
      () => (entry.readAt = -Infinity),
    );
    return entry.ms;
  }
}
