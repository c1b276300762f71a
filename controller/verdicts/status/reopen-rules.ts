import type { MonitorState, Outage } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';

/** How long an outage must continue after a person ended its incident before another one opens, ms. */
export const REOPEN_AFTER_MS = 300_000;
/** After a restart, previously stored pings are in the journal within this time, ms. */
const PINGS_SETTLE_MS = 15_000;

/** Records that a person resolved or closed an incident, if its outage is ongoing. */
export function recordManualEnd(
  step: MonitorStep, { incident_id, at }: { incident_id: string; at: number },
): void {
  const { outage } = step.state;
  if (!isOngoing(step.state, incident_id) || outage === null) return;
  step.state = { ...step.state, outage: { ...outage, ended_at: at } };
}

/** True while the outage of this incident is ongoing and no person has ended the incident. */
export function isOngoing({ outage }: MonitorState, incidentId: string): boolean {
  return outage !== null && outage.incident_id === incidentId && outage.ended_at === undefined;
}

/**
 * When another incident opens for an outage whose incident a person ended, Unix ms. A check must fail after
 * that and after `monitoredSince` (Unix ms), because the recovery may be among pending results. Null if none
 * opens, or the monitor may have recovered.
 */
export function reopenAt(state: MonitorState, monitoredSince: number): number | null {
  const { status, outage, heartbeat, last_failure_at } = state;
  if (outage?.ended_at === undefined || status !== 'down') return null;
  const dueAt = outage.ended_at + REOPEN_AFTER_MS;
  if (heartbeat) return Math.max(dueAt, monitoredSince + PINGS_SETTLE_MS);
  return (last_failure_at ?? 0) > Math.max(outage.ended_at, monitoredSince) ? dueAt : null;
}

/** Opens another incident for an ongoing outage whose incident a person ended, and alerts. */
export function reopen(step: MonitorStep, at: number): void {
  const { status, outage, heartbeat } = step.state;
  if (outage?.ended_at === undefined || status !== 'down' || at < outage.ended_at + REOPEN_AFTER_MS) return;
  const { ended_at: _ended, ...same } = outage;
  const again: Outage = { ...same, incident_id: step.id('incident'), reopened: true };
  const down = step.regions.filter((name) => step.state.regions[name]?.verdict === 'down');
  step.state = { ...step.state, outage: again };
  step.open(again, down);
  step.alertOutage('monitor.down', again, down, null);
  if (!heartbeat) step.addVotes('down', again, at);
}
