import type { Clock } from '../../shared/time.ts';
import type { PlanLimits, Plans } from './plans.ts';

const DAY_MS = 86_400_000;
/** How long a change of plan may go unnoticed, ms. */
const MAX_AGE_MS = 60_000;
/** Organizations in memory; beyond that all are read again. */
const MAX_CACHED_ORGANIZATIONS = 10_000;

type CachedPlanLimits = Pick<PlanLimits, 'raw_results_days' | 'regions_per_monitor'>;

interface CachedLimitsDeps {
  clock: Clock;
  plans: Plans;
  limitsOf(organizationId: string): Promise<CachedPlanLimits>;
}

/** How long the most generous plan keeps raw results, ms. */
export function maxRawRetentionMs(plans: Plans): number {
  return Math.max(...Object.values(plans).map((plan) => plan.raw_results_days)) * DAY_MS;
}

/** Limits of organizations for callers that cannot wait for the database; at most a minute old. */
export class CachedLimits {
  /** How long any plan keeps raw results at most, ms. */
  readonly maxRawRetentionMs: number;
  readonly #deps: CachedLimitsDeps;
  /** `readAt` is on the monotonic clock, ms. */
  readonly #cache = new Map<string, { limits: CachedPlanLimits | null; readAt: number }>();

  constructor(deps: CachedLimitsDeps) {
    this.#deps = deps;
    this.maxRawRetentionMs = maxRawRetentionMs(deps.plans);
  }

  /** How long it keeps raw results, ms. The longest of any plan until its own has been read. */
  rawRetentionMs(organizationId: string): number {
    const limits = this.#limitsOf(organizationId);
    return limits ? limits.raw_results_days * DAY_MS : this.maxRawRetentionMs;
  }

  /** How many regions may check a monitor; null until that has been read. */
  regionsPerMonitor(organizationId: string): number | null {
    return this.#limitsOf(organizationId)?.regions_per_monitor ?? null;
  }

  /** Has limits that are not known read. Those of an organization that cannot be read stay unknown. */
  async preload(organizationIds: Iterable<string>): Promise<void> {
    const missing = [...new Set(organizationIds)].filter((id) => !this.#cache.get(id)?.limits);
    await Promise.allSettled(missing.map(async (id) => {
      const limits = await this.#deps.limitsOf(id);
      this.#cache.set(id, { limits, readAt: this.#deps.clock.monotonic() });
    }));
  }

  #limitsOf(organizationId: string): CachedPlanLimits | null {
    const now = this.#deps.clock.monotonic();
    const cached = this.#cache.get(organizationId);
    if (cached && now - cached.readAt < MAX_AGE_MS) return cached.limits;
    if (!cached && this.#cache.size >= MAX_CACHED_ORGANIZATIONS) this.#cache.clear();
    const entry = { limits: cached?.limits ?? null, readAt: now };
    this.#cache.set(organizationId, entry);
    this.#deps.limitsOf(organizationId).then(
      (limits) => (entry.limits = limits),
      () => (entry.readAt = -Infinity),
    );
    return entry.limits;
  }
}
