import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { CheckResult, MissedReason, TargetFacts, Timings, TlsFacts } from '../../shared/contracts/result.ts';
import type { Finding } from '../checks/check.ts';
import { concealError, concealTargetFacts, FactConcealer } from '../concealing/concealer.ts';
import type { SlotRun } from '../scheduler/slots.ts';

/** Maximum duration in a result. */
const MAX_DURATION_MS = 3_600_000;

export interface AttemptInfo {
  scheduledAtMs: number;
  startedAtMs: number;
  attempt: number;
  reason: CheckResult['reason'];
}

/** Facts to send with a result; null for those that are not new. */
export interface SentWithResult {
  tls: TlsFacts | null;
  /** In full length. */
  target: TargetFacts | null;
}

/** The result of a check, including the facts to send; the spool assigns its `seq`. */
export function resultOf(
  assignment: Assignment, info: AttemptInfo, finding: Finding, sent: SentWithResult | null = null,
): CheckResult {
  const facts = new FactConcealer(assignment.spec);
  const result: CheckResult = {
    seq: 0,
    monitor_id: assignment.monitor_id,
    assignment_rev: assignment.assignment_rev,
    attempt: info.attempt,
    reason: info.reason,
    scheduled_at: info.scheduledAtMs,
    started_at: info.startedAtMs,
    response_time_ms: finding.response_time_ms === null ? null : tenths(finding.response_time_ms),
    outcome: finding.outcome,
    degraded: finding.degraded,
    status_code: finding.status_code,
    error: finding.error && concealError(assignment.spec, finding.error),
    missed: finding.missed === null ? null : { reason: finding.missed, count: 1 },
    timings: finding.timings && timingsInTenths(finding.timings),
    remote_address: facts.address(finding.remote_address),
    tls: facts.tls(sent?.tls ?? null),
    detail: facts.detail(finding.detail),
  };
  if (sent?.target) result.facts = concealTargetFacts(assignment.spec, sent.target);
  return result;
}

/** Rounds durations as the packed format does, so that an order's response and its record agree. */
function tenths(ms: number): number {
  return Math.min(MAX_DURATION_MS, Math.round(ms * 10) / 10);
}

function timingsInTenths(timings: Timings): Timings {
  const rounded: Timings = {};
  for (const phase in timings) {
    rounded[phase as keyof Timings] = tenths(timings[phase as keyof Timings] as number);
  }
  return rounded;
}

/** The single record for a run of missed slots. */
export function missedResult(assignment: Assignment, run: SlotRun, reason: MissedReason): CheckResult {
  return {
    seq: 0, monitor_id: assignment.monitor_id, assignment_rev: assignment.assignment_rev, attempt: 1,
    reason: 'schedule',
    scheduled_at: run.atMs, started_at: run.atMs, response_time_ms: null, outcome: 'missed', degraded: false,
    status_code: null, error: null, missed: { reason, count: run.count }, timings: null, remote_address: null,
    tls: null, detail: null,
  };
}
