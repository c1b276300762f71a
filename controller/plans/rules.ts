import type { PlanLimits, Plans } from './plans.ts';

/** Below this, MIN_INTERVAL_SECONDS is a private installation's own rule and stands in for the plan's. */
const PUBLIC_MINIMUM_SECONDS = 30;

/** The shortest interval, seconds, that a plan allows where the schema accepts `schemaMinimum` and up. */
export function shortestInterval(plan: Pick<PlanLimits, 'min_interval_seconds'>, schemaMinimum: number): number {
  return schemaMinimum < PUBLIC_MINIMUM_SECONDS ? schemaMinimum : Math.max(schemaMinimum, plan.min_interval_seconds);
}

/** The plans as they are where the schema accepts intervals of `schemaMinimum` seconds and up: what is enforced is also what is shown. */
export function withShortestIntervals(plans: Plans, schemaMinimum: number): Plans {
  const settle = (plan: PlanLimits): PlanLimits => ({ ...plan, min_interval_seconds: shortestInterval(plan, schemaMinimum) });
  return { free: settle(plans.free), pro: settle(plans.pro), scale: settle(plans.scale) };
}
