import type { Clock } from '../../shared/time.ts';
import type { PlanLimits, Plans } from './plans.ts';

const DAY_MS = 86_400_000;
/** How long a change of plan may go unnoticed, ms. */
const FRESH_MS = 60_000;
/** Organizations in memory; beyond that all are read again. */
const LARGEST_CACHE = 10_000;

type Known = Pick<PlanLimits, 'raw_results_days' | 'regions_per_monitor'>;

interface KnownLimitsDeps {
  clock: Clock;
  plans: Plans;
  limitsOf(organizationId: string): Promise<Known>;
}

/** How long the most generous plan keeps raw results, ms. */
export function longestRawMs(plans: Plans): number {
  return Math.max(...Object.values(plans).map((plan) => plan.raw_results_days)) * DAY_MS;
}

/** Limits of organizations for callers that cannot wait for the database; at most a minute old. */
export class KnownLimits {
  /** How long any plan keeps raw results at most, ms. */
  readonly longestRawMs: number;
  readonly #deps: KnownLimitsDeps;
  /** `readAt` is on the monotonic clock, ms. */
  readonly #known = new Map<string, { limits: Known | null; readAt: number }>();

  constructor(deps: KnownLimitsDeps) {
    this.#deps = deps;
    this.longestRawMs = longestRawMs(deps.plans);
  }

  /** How long it keeps raw results, ms. The longest of any plan until its own has been read. */
  rawMs(organizationId: string): number {
    const limits = this.#of(organizationId);
    return limits ? limits.raw_results_days * DAY_MS : this.longestRawMs;
  }

  /** How many regions may check a monitor; null until that has been read. */
  regionsPerMonitor(organizationId: string): number | null {
    return this.#of(organizationId)?.regions_per_monitor ?? null;
  }

  /** Has limits that are not known read. Those of an organization that cannot be read stay unknown. */
  async learn(organizationIds: Iterable<string>): Promise<void> {
    const unknown = [...new Set(organizationIds)].filter((id) => !this.#known.get(id)?.limits);
    await Promise.allSettled(unknown.map(async (id) => {
      const limits = await this.#deps.limitsOf(id);
      this.#known.set(id, { limits, readAt: this.#deps.clock.monotonic() });
    }));
  }

  #of(organizationId: string): Known | null {
    const now = this.#deps.clock.monotonic();
    const known = this.#known.get(organizationId);
    if (known && now - known.readAt < FRESH_MS) return known.limits;
    if (!known && this.#known.size >= LARGEST_CACHE) this.#known.clear();
    const entry = { limits: known?.limits ?? null, readAt: now };
    this.#known.set(organizationId, entry);
    this.#deps.limitsOf(organizationId).then(
      (limits) => (entry.limits = limits),
      () => (entry.readAt = -Infinity),
    );
    return entry.limits;
  }
}
