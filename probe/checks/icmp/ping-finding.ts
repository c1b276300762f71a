import { failure, missed, success, type Finding } from '../check.ts';
import type { PingReport } from './pinger.ts';

/** Ping statistics in the result's `detail`. Times are ms; those of replies are absent if there were none. */
interface PingFacts {
  sent: number;
  received: number;
  /** 0 to 100. */
  loss_percent: number;
  rtt_min_ms?: number;
  rtt_avg_ms?: number;
  rtt_max_ms?: number;
  /** Mean difference between the round-trip times of successive replies. */
  jitter_ms?: number;
}

/**
 * Outcome of a ping: a success if any packet got a reply; the response time is the mean round trip. A problem
 * of this machine never counts against the target if there was no reply.
 */
export function pingFinding(report: PingReport, responseTimeoutMs: number, known: Partial<Finding>): Finding {
  const { rttsMs, sent, problem } = report;
  const facts = factsOf(report);
  const detail = { ...facts };
  if (rttsMs.length === 0) {
    if (problem?.whose === 'own') return missed(problem.reason);
    if (problem) return failure('connection_error', 'connect', problem.message, { ...known, detail });
    const message = `0 of ${sent} replies within ${Math.round(responseTimeoutMs)} ms`;
    return failure('timeout', 'response', message, { ...known, detail });
  }
  return success({ response_time_ms: facts.rtt_avg_ms ?? null, detail, ...known });
}

function factsOf({ sent, rttsMs }: PingReport): PingFacts {
  const received = rttsMs.length;
  const counts = { sent, received, loss_percent: sent === 0 ? 0 : round(100 * (1 - received / sent)) };
  if (received === 0) return counts;
  let [sum, steps] = [0, 0];
  rttsMs.forEach((rtt, at) => {
    sum += rtt;
    steps += at === 0 ? 0 : Math.abs(rtt - (rttsMs[at - 1] as number));
  });
  return {
    ...counts,
    rtt_min_ms: round(Math.min(...rttsMs)), rtt_avg_ms: round(sum / received),
    rtt_max_ms: round(Math.max(...rttsMs)), jitter_ms: round(received === 1 ? 0 : steps / (received - 1)),
  };
}

/** To microseconds. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
