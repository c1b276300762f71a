import type { Clock } from '../../shared/time.ts';
import type { PlanLimits, PlanName, Plans } from './plans.ts';
import type { Counted, UsageStore } from './usage-store.ts';

export type { Counted };

export interface QuotaDeps {
  usage: UsageStore;
  plans: Plans;
  clock: Clock;
  /** The plan of an organization. */
  planOf(organizationId: string): Promise<PlanName>;
  /** How many there really are, for a counter that a crash left too high. */
  count: Partial<Record<Counted, (organizationId: string) => Promise<number>>>;
}

export type Reservation = { isGranted: true } | { isGranted: false; limit: number; usage: number };

/** No reservation stays without its document, or without being released, for as long as this, ms. */
const SETTLED_AFTER_MS = 60_000;

/** Hands out what plans limit, so that the limit holds however many ask at once. */
export class Quota {
  readonly #deps: QuotaDeps;

  constructor(deps: QuotaDeps) {
    this.#deps = deps;
  }

  async limitsOf(organizationId: string): Promise<PlanLimits> {
    return this.#deps.plans[await this.#deps.planOf(organizationId)];
  }

  limitsOfPlan(plan: PlanName): PlanLimits {
    return this.#deps.plans[plan];
  }

  /** How many there are of what plans count. */
  async usageOf(organizationId: string): Promise<Record<Counted, number>> {
    const { count, usage } = this.#deps;
    const taken = (await usage.read(organizationId))?.taken ?? { monitors: 0, projects: 0, status_pages: 0 };
    // A counter may be too high after a crash; what can be counted is.
    const [monitors, projects, statusPages] = await Promise.all(
      (['monitors', 'projects', 'status_pages'] as const).map(async (counted) => (await count[counted]?.(organizationId)) ?? taken[counted]),
    );
    return { monitors: monitors ?? 0, projects: projects ?? 0, status_pages: statusPages ?? 0 };
  }

  /**
   * Reserves `count`, or none; the caller inserts their documents afterwards. If that fails it may yet have been written, so the reservation
   * stays, and is repaired when the limit is next met. A refusal tells the limit and how many there are.
   */
  async reserve(organizationId: string, counted: Counted, count = 1): Promise<Reservation> {
    const { usage, clock } = this.#deps;
    const limit = (await this.limitsOf(organizationId))[counted];
    if (await usage.reserve(organizationId, counted, limit, clock.now(), count)) return { isGranted: true };
    if ((await this.#repair(organizationId, counted)) && (await usage.reserve(organizationId, counted, limit, clock.now(), count))) return { isGranted: true };
    return { isGranted: false, limit, usage: (await usage.read(organizationId))?.taken[counted] ?? 0 };
  }

  /** Gives `count` back, after their documents are gone. */
  release(organizationId: string, counted: Counted, count = 1): Promise<void> {
    return this.#deps.usage.release(organizationId, counted, this.#deps.clock.now(), count);
  }

  /** A crash between reservation and insert leaves the counter too high; only a counter that has been still for a minute is touched. */
  async #repair(organizationId: string, counted: Counted): Promise<boolean> {
    const count = this.#deps.count[counted];
    const seen = await this.#deps.usage.read(organizationId);
    if (count === undefined || seen === null || this.#deps.clock.now() - seen.changedAt < SETTLED_AFTER_MS) return false;
    const actual = await count(organizationId);
    const taken = seen.taken[counted];
    if (actual >= taken) return false;
    return this.#deps.usage.correct(organizationId, counted, { taken, changedAt: seen.changedAt }, actual);
  }
}
