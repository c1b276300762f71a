import { OUTCOMES, REASONS, type CheckResult } from '../../../shared/contracts/result.ts';

/** One byte of what a result is, the same in memory and in blocks: outcome (2 bits), degraded, late, reason (2 bits), has a response time. */
export const OUTCOME = 3;
export const DEGRADED = 1 << 2;
export const LATE = 1 << 3;
export const HAS_TIME = 1 << 6;
/** Bit of a timings mask that says that there are timings; the bits below it are the phases, in their order. */
export const HAS_TIMINGS = 1 << 5;

export function flagsOf(result: Pick<CheckResult, 'outcome' | 'degraded' | 'reason' | 'response_time_ms'>, late: boolean): number {
  return OUTCOMES.indexOf(result.outcome) | (result.degraded ? DEGRADED : 0) | (late ? LATE : 0)
    | (REASONS.indexOf(result.reason) << 4) | (result.response_time_ms === null ? 0 : HAS_TIME);
}

export function outcomeOf(flags: number): CheckResult['outcome'] {
  return OUTCOMES[flags & OUTCOME] as CheckResult['outcome'];
}

export function reasonOf(flags: number): CheckResult['reason'] {
  return REASONS[(flags >> 4) & 3] as CheckResult['reason'];
}

/** Durations are kept in tenths of a ms. */
export function tenths(ms: number): number {
  return Math.round(ms * 10);
}
