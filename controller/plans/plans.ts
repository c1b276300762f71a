import { z } from 'zod';

export const PLAN_NAMES = ['free', 'pro', 'scale'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** Resources whose number the plan limits. */
export const COUNTED_RESOURCES = [
  'monitors', 'projects', 'status_pages', 'regions', 'probes', 'subscriptions',
] as const;
export type CountedResource = (typeof COUNTED_RESOURCES)[number];

const count = z.int().min(0);

export const planLimits = z.strictObject({
  monitors: count,
  min_interval_seconds: z.int().min(1),
  projects: count,
  status_pages: count,
  regions_per_monitor: z.int().min(1),
  regions: count,
  probes: count,
  subscriptions: count,
  event_streams: count,
  has_custom_domain: z.boolean(),
  raw_results_days: z.int().min(1),
  rollups_days: z.int().min(1),
});
export type PlanLimits = z.infer<typeof planLimits>;
export type Plans = Record<PlanName, PlanLimits>;

/**
 * Equal on every plan, to protect shared capacity: private regions, their probes, subscriptions to raw
 * results, and event streams open on one controller.
 */
const FAIR_USE = { regions: 100, probes: 1000, subscriptions: 10, event_streams: 100 };

const PLANS: Plans = {
  free: {
    ...FAIR_USE, monitors: 50, min_interval_seconds: 300, projects: 1, status_pages: 1,
    regions_per_monitor: 1, has_custom_domain: false, raw_results_days: 7, rollups_days: 90,
  },
  pro: {
    ...FAIR_USE, monitors: 500, min_interval_seconds: 60, projects: 10, status_pages: 10,
    regions_per_monitor: 10, has_custom_domain: true, raw_results_days: 30, rollups_days: 400,
  },
  scale: {
    ...FAIR_USE, monitors: 100_000, min_interval_seconds: 60, projects: 1000, status_pages: 1000,
    regions_per_monitor: 100, has_custom_domain: true, raw_results_days: 90, rollups_days: 800,
  },
};

const partOfPlan = planLimits.partial().optional();
const overrides = z.strictObject({ free: partOfPlan, pro: partOfPlan, scale: partOfPlan });

/**
 * Returns the limits of each plan. `overridesJson` is the content of PLANS_FILE, an object that overrides
 * some limits of some plans; null uses the defaults. Throws an Error that lists every invalid entry.
 */
export function loadPlans(overridesJson: string | null): Plans {
  if (overridesJson === null) return PLANS;
  let value: unknown;
  try {
    value = JSON.parse(overridesJson);
  } catch {
    throw new Error('it is not JSON');
  }
  const { data, error } = overrides.safeParse(value);
  if (error === undefined) return eachPlan((name) => ({ ...PLANS[name], ...data[name] }));
  const lines = error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  throw new Error(lines.join('; '));
}

/** A lower MIN_INTERVAL_SECONDS marks a private installation and overrides the minimum of the plans. */
const PUBLIC_MINIMUM_SECONDS = 30;

/** The shortest interval that the plan allows, s. `schemaMinimum` is MIN_INTERVAL_SECONDS. */
export function minIntervalSeconds(plan: { min_interval_seconds: number }, schemaMinimum: number): number {
  return Math.max(schemaMinimum, schemaMinimum < PUBLIC_MINIMUM_SECONDS ? 0 : plan.min_interval_seconds);
}

/** The plans with their effective minimum interval, so that the API shows the limit it enforces. */
export function withMinIntervals(plans: Plans, schemaMinimum: number): Plans {
  return eachPlan((name) => ({
    ...plans[name], min_interval_seconds: minIntervalSeconds(plans[name], schemaMinimum),
  }));
}

function eachPlan(limitsOf: (name: PlanName) => PlanLimits): Plans {
  return { free: limitsOf('free'), pro: limitsOf('pro'), scale: limitsOf('scale') };
}
