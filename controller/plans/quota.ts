import type { Clock } from '../../shared/time.ts';
import { AppError } from '../errors/app-error.ts';
import {
  COUNTED_RESOURCES, type CountedResource, type PlanLimits, type PlanName, type Plans,
} from './plans.ts';
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
