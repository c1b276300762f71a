import { pingFailure } from '../../verdicts/status/heartbeat-rules.ts';
import type { JournaledPing } from '../../verdicts/monitor-state.ts';
import type { StoredResult } from './stored-result.ts';

/** Longer runs have no response time, because blocks store it in 32 bits, as tenths of a ms. */
const MAX_RUN_MS = 86_400_000;

/** The history row of a ping; null for the start of a job, which says nothing about its outcome. */
export function pingRow(ping: JournaledPing): StoredResult | null {
  if (ping.kind === 'start') return null;
  const { at, run_ms: runMs } = ping;
  if (ping.kind === 'fail') return { ...rowAt(at), error: pingFailure(ping) };
  const response_time_ms = runMs !== null && runMs <= MAX_RUN_MS ? runMs : null;
  return { ...rowAt(at), outcome: 'success', response_time_ms };
}

/** The history row of a ping that was overdue at `at`, Unix ms. */
export function overdueRow(at: number): StoredResult {
  return { ...rowAt(at), error: { type: 'timeout', message: 'No ping in time' } };
}

/** Heartbeats have no probe; `heartbeat` stands in for the region. */
function rowAt(at: number): StoredResult {
  return {
    region: 'heartbeat', probe_id: '', scheduled_at: at, started_at: at, outcome: 'failure', degraded: false,
    reason: 'schedule', attempt: 1, late: false, response_time_ms: null, status_code: null,
    error: null, missed: null, timings: null,
  };
}
