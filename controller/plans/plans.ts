import { z } from 'zod';

export const PLAN_NAMES = ['free', 'pro', 'scale'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

const count = z.int().min(0);

export const planLimits = z.strictObject({
  monitors: count,
  min_interval_seconds: z.int().min(1),
  projects: count,
  status_pages: count,
  regions_per_monitor: z.int().min(1),
  has_custom_domain: z.boolean(),
  raw_results_days: z.int().min(1),
  rollups_days: z.int().min(1),
});
export type PlanLimits = z.infer<typeof planLimits>;
export type Plans = Record<PlanName, PlanLimits>;

const PLANS: Plans = {
  free: {
    monitors: 50, min_interval_seconds: 300, projects: 1, status_pages: 1, regions_per_monitor: 1,
    has_custom_domain: false, raw_results_days: 7, rollups_days: 90,
  },
  pro: {
    monitors: 500, min_interval_seconds: 60, projects: 10, status_pages: 10, regions_per_monitor: 10,
    has_custom_domain: true, raw_results_days: 30, rollups_days: 400,
  },
  scale: {
    monitors: 100_000, min_interval_seconds: 60, projects: 1000, status_pages: 1000, regions_per_monitor: 100,
    has_custom_domain: true, raw_results_days: 90, rollups_days: 800,
  },
};

const overrides = z.strictObject({ free: planLimits.partial().optional(), pro: planLimits.partial().optional(), scale: planLimits.partial().optional() });

/**
 * The table of plans. `overridesJson` is the text of the file that PLANS_FILE names: an object with some plans and some of
 * their limits. Throws an Error that names every bad entry.
 */
export function loadPlans(overridesJson: string | null): Plans {
  if (overridesJson === null) return PLANS;
  let value: unknown;
  try {
    value = JSON.parse(overridesJson);
  } catch {
    throw new Error('it is not JSON');
  }
  const parsed = overrides.safeParse(value);
  if (!parsed.success) throw new Error(parsed.error.issues.map((issue) => [...(issue.path.length > 0 ? [issue.path.join('.')] : []), issue.message].join(': ')).join('; '));
  const { free, pro, scale } = parsed.data;
  return { free: { ...PLANS.free, ...free }, pro: { ...PLANS.pro, ...pro }, scale: { ...PLANS.scale, ...scale } };
}
