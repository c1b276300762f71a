import type { PlanLimits } from './plans.ts';

/** Below this, MIN_INTERVAL_SECONDS is a private installation's own rule and stands in for the plan's. */
const PUBLIC_MINIMUM_SECONDS = 30;

/** The shortest interval, seconds, that a plan allows where the schema accepts `schemaMinimum` and up. */
export function shortestInterval(plan: Pick<PlanLimits, 'min_interval_seconds'>, schemaMinimum: number): number {
  return schemaMinimum < PUBLIC_MINIMUM_SECONDS ? schemaMinimum : Math.max(schemaMinimum, plan.min_interval_seconds);
}
