import type { JournaledPing } from '../../verdicts/monitor-state.ts';
import type { StoredResult } from './stored-result.ts';

/** Stands where results of probes have their region. */
const REGION = 'heartbeat';
/** Jobs that ran longer have no response time: blocks hold it in 32 bits, as tenths of a ms. */
const LONGEST_RUN_MS = 86_400_000;

/** What history keeps of a ping; null for the start of a job, which says nothing of its end. */
export function pingRow(ping: JournaledPing): StoredResult | null {
  if (ping.kind === 'start') return null;
  const { at, run_ms: runMs, exit_code: code } = ping;
  if (ping.kind === 'success') return { ...rowAt(at), outcome: 'success', response_time_ms: runMs !== null && runMs <= LONGEST_RUN_MS ? runMs : null };
  return { ...rowAt(at), error: { type: 'status_code', message: code === null ? 'The job reported a failure' : `The job ended with exit code ${code}` } };
}

/** What history keeps of a ping that did not come by `at`, Unix ms. */
export function overdueRow(at: number): StoredResult {
  return { ...rowAt(at), error: { type: 'timeout', message: 'No ping in time' } };
}

function rowAt(at: number): StoredResult {
  return {
    region: REGION, probe_id: '', scheduled_at: at, started_at: at, outcome: 'failure', degraded: false, reason: 'schedule', attempt: 1, late: false,
    response_time_ms: null, status_code: null, error: null, missed: null, timings: null,
  };
}
