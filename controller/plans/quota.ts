import type { Clock } from '../../shared/time.ts';
import { AppError } from '../errors/app-error.ts';
import { COUNTED_RESOURCES, type CountedResource, type PlanLimits, type PlanName, type Plans } from './plans.ts';
import type { UsageStore } from './usage-store.ts';

interface QuotaDeps {
  usage: UsageStore;
  plans: Plans;
  clock: Clock;
  organizations: { find(organizationId: string): Promise<{ plan?: PlanName | null } | null> };
  /** Of organizations without a plan of their own. */
  defaultPlan: PlanName;
  /** Counts the actual documents, to correct a counter that a crash left too high. */
  count: Partial<Record<CountedResource, (organizationId: string) => Promise<number>>>;
}

type Reservation = { isGranted: true } | { isGranted: false; limit: number; usage: number };

/** Longer than the time between a reservation and its insert or release. */
const SETTLED_AFTER_MS = 60_000;

/** Enforces plan limits, even for simultaneous requests. */
export class Quota {
  readonly #deps: QuotaDeps;

  constructor(deps: QuotaDeps) {
    this.#deps = deps;
  }

  async limitsOf(organizationId: string): Promise<PlanLimits> {
    const { organizations, plans, defaultPlan } = this.#deps;
    return plans[(await organizations.find(organizationId))?.plan ?? defaultPlan];
  }

  limitsOfPlan(plan: PlanName): PlanLimits {
    return this.#deps.plans[plan];
  }

  /** Counts documents where possible, because a crash may leave a counter too high. */
  async usageOf(organizationId: string): Promise<Record<CountedResource, number>> {
    const { usage, count } = this.#deps;
    const seen = await usage.read(organizationId);
    const actual = { monitors: 0, projects: 0, status_pages: 0, regions: 0, probes: 0, subscriptions: 0 };
    for (const counted of COUNTED_RESOURCES) {
      actual[counted] = (await count[counted]?.(organizationId)) ?? seen?.[counted] ?? 0;
    }
    return actual;
  }

  /**
   * Reserves `count` or nothing; the caller then inserts the documents. If the insert fails, keep the
   * reservation: the write may have happened anyway, and the counter is corrected when the limit is next
   * reached.
   */
  async reserve(organizationId: string, counted: CountedResource, count = 1): Promise<Reservation> {
    const { usage, clock } = this.#deps;
    const limit = (await this.limitsOf(organizationId))[counted];
    const reserve = () => usage.reserve(organizationId, counted, limit, clock.now(), count);
    if (await reserve()) return { isGranted: true };
    if ((await this.#correct(organizationId, counted)) && (await reserve())) return { isGranted: true };
    return { isGranted: false, limit, usage: (await usage.read(organizationId))?.[counted] ?? 0 };
  }

  /** Call after the documents are deleted. */
  release(organizationId: string, counted: CountedResource, count = 1): Promise<void> {
    return this.#deps.usage.release(organizationId, counted, this.#deps.clock.now(), count);
  }

  /**
   * Lowers a counter that a crash between reservation and insert left too high, unless it changed recently.
   * Initializes a missing counter with the actual number. False if nothing changed.
   */
  async #correct(organizationId: string, counted: CountedResource): Promise<boolean> {
    const { usage, clock, count } = this.#deps;
    const seen = await usage.read(organizationId);
    if (seen === null) return false;
    const before = seen[counted] ?? null;
    if (before !== null && clock.now() - seen.changed_at < SETTLED_AFTER_MS) return false;
    const actual = await count[counted]?.(organizationId);
    if (before !== null) {
      return actual !== undefined && actual < before && usage.correct(seen, counted, actual);
    }
    await usage.addCounter(organizationId, counted, actual ?? 0);
    return true;
  }
}

/** For limits that a higher plan raises. `thing` is the limited resource, in the singular. */
export function planLimitExceeded(thing: string, limit: number, usage: number): AppError {
  const message = `This plan allows ${limit} ${thing}${limit === 1 ? '' : 's'}`;
  return new AppError('PLAN_LIMIT_EXCEEDED', message, { details: { limit, usage } });
}

/** For limits that no plan raises. `things` is the limited resource, in the plural. */
export function fairUseLimitReached(things: string, limit: number, usage: number): AppError {
  const message = `An organization can have at most ${limit} ${things}`;
  return new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit, usage } });
}

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
