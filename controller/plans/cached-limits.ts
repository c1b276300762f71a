import type { Clock } from '../../shared/time.ts';
import type { PlanLimits, Plans } from './plans.ts';

const DAY_MS = 86_400_000;
/** How long a plan change may go unnoticed. */
const MAX_AGE_MS = 60_000;
/** The whole cache is cleared when it is full. */
const MAX_CACHED_ORGANIZATIONS = 10_000;

type CachedPlanLimits = Pick<PlanLimits, 'raw_results_days' | 'regions_per_monitor'>;

interface CachedLimitsDeps {
  clock: Clock;
  plans: Plans;
  limitsOf(organizationId: string): Promise<CachedPlanLimits>;
}

/** The longest retention of raw results on any plan, ms. */
export function maxRawRetentionMs(plans: Plans): number {
  return Math.max(...Object.values(plans).map((plan) => plan.raw_results_days)) * DAY_MS;
}

/** Plan limits for callers that cannot wait for the database. Values are about a minute old at most. */
export class CachedLimits {
  /** The longest retention of raw results on any plan, ms. */
  readonly maxRawRetentionMs: number;
  readonly #deps: CachedLimitsDeps;
  /** `readAt` is monotonic time, ms. `limits` is null until the first read completes. */
  readonly #cache = new Map<string, { limits: CachedPlanLimits | null; readAt: number }>();

  constructor(deps: CachedLimitsDeps) {
    this.#deps = deps;
    this.maxRawRetentionMs = maxRawRetentionMs(deps.plans);
  }

  /** Retention of raw results, ms. Returns the longest of any plan until the organization's plan is read. */
  readonly rawRetentionMs = (organizationId: string): number => {
    const limits = this.#limitsOf(organizationId);
    return limits ? limits.raw_results_days * DAY_MS : this.maxRawRetentionMs;
  };

  /** Maximum number of regions per monitor; null until the plan is read. */
  regionsPerMonitor(organizationId: string): number | null {
    return this.#limitsOf(organizationId)?.regions_per_monitor ?? null;
  }

  /** Reads limits that are not cached. Failures are ignored, so those limits stay unknown. */
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
