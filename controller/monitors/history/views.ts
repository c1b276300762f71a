import type { z } from 'zod';
import type { CheckResult } from '../../../shared/contracts/result.ts';
import type { MonitorLive } from '../../results/reading/live.ts';
import type { StatusSpan } from '../../results/reading/past.ts';
import type { StoredResult } from '../../results/hours/stored-result.ts';
import type { regionsAnswer, resultView, statusHistoryAnswer } from './answers.ts';
import type { RegionRun } from '../ports.ts';

type ResultView = z.input<typeof resultView>;
type Shown = Pick<
  CheckResult & StoredResult, 'outcome' | 'degraded' | 'response_time_ms' | 'status_code' | 'error' | 'timings' | 'started_at' | 'missed'
>;

export function viewResult(monitorId: string, region: string, probeId: string | null, result: Shown): ResultView {
  return {
    // A ping comes from no probe.
    monitor_id: monitorId, region, probe_id: probeId === '' ? null : probeId, success: result.outcome === 'success', outcome: result.outcome, degraded: result.degraded,
    response_time_ms: result.response_time_ms, status_code: result.status_code, error: result.error, timings: result.timings,
    checked_at: result.started_at, ...(result.missed === null ? {} : { reason: result.missed.reason }),
  };
}

/** A region without a result shows as a missed check, with the reason. */
export function viewRun(monitorId: string, run: RegionRun, now: number): ResultView {
  if (run.result !== null) return viewResult(monitorId, run.region, run.probe_id, run.result);
  return {
    monitor_id: monitorId, region: run.region, probe_id: run.probe_id, success: false, outcome: 'missed', degraded: false, response_time_ms: null,
    status_code: null, error: null, timings: null, checked_at: now, reason: run.reason ?? 'unreachable',
  };
}

export function viewSpan(span: StatusSpan, now: number): z.input<typeof statusHistoryAnswer>['history'][number] {
  return { ...span, duration_seconds: Math.max(0, Math.floor(((span.to ?? now) - span.from) / 1000)) };
}

/** Every region that has been heard of or that the monitor runs in, by id. */
export function viewRegions(live: MonitorLive | null, runsIn: string[]): z.input<typeof regionsAnswer>['regions'] {
  const heard = new Map((live?.regions ?? []).map((region) => [region.region, region]));
  return [...new Set([...heard.keys(), ...runsIn])].sort().map((id) => {
    const { region = id, status = 'unknown', ...rest } = heard.get(id) ?? { reason: null, last_check_at: null, response_time_ms: null, probe_id: null };
    return { region, status: status === 'paused' ? 'unknown' : status, ...rest };
  });
}
