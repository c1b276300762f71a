import type { Outage } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';

/**
 * Alerts of the start and end of a slow period. The status reflects every slow response; an alert needs as
 * many in a row as an outage needs failures. An outage, pause or deletion ends the period without an alert.
 */
export function alertSlow(step: MonitorStep): void {
  const { status, since, slow } = step.state;
  if (slow === null && status === 'degraded') startSlowOutage(step);
  if (slow === null || status === 'degraded' || status === 'unknown') return;
  const at = Math.max(since, slow.started_at);
  step.resolve(slow, at);
  if (status === 'up') step.alertOutage('monitor.slow_response_resolved', slow, step.regions, at);
  step.state = { ...step.state, slow: null };
}

function startSlowOutage(step: MonitorStep): void {
  const { config: { retries, slow_response_threshold_ms: threshold }, since } = step.state;
  const slowRegions = Object.entries(step.state.regions).filter(([, { slows }]) => slows > retries);
  if (slowRegions.length === 0) return;
  const regions = slowRegions.map(([name]) => name);
  const slowest = Math.max(...slowRegions.map(([, { response_time_ms: ms }]) => ms ?? 0));
  const thresholdText = threshold === null ? '' : `, slower than ${threshold} ms`;
  const slow: Outage = {
    incident_id: step.id('slow'), started_at: since, failure_count: 1,
    type: 'slow_response', severity: 'warning', message: `Response took ${Math.round(slowest)} ms${thresholdText}`,
  };
  step.open(slow, regions);
  step.alertOutage('monitor.slow_response', slow, regions, null);
  step.state = { ...step.state, slow };
}
