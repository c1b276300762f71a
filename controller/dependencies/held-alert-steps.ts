import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../shared/time.ts';
import type { MonitorLive } from '../results/reading/recent/unwritten-monitor.ts';
import type { Alert, AlertsPort } from '../verdicts/effect.ts';
import type { Decision } from './dependency-rules.ts';
import type { HeldAlert, HeldBy, HoldChange } from './held-alert.ts';
import type { HeldAlertStore } from './store.ts';

export interface StepDeps {
  held: Pick<HeldAlertStore, 'alertOf' | 'keep' | 'release' | 'end' | 'settle' | 'postpone'>;
  alerts: AlertsPort & {
    /** Adds the alert to the notification log as suppressed. May be repeated. */
    logHeld(alert: Alert, reason: string): Promise<void>;
  };
  incidents: {
    /** Null if it was deleted. */
    findById(id: string): Promise<{ status: string } | null>;
    /** Shows what holds the incident's alert; null for nothing. */
    setHeldBy(id: string, heldBy: HeldBy | null): Promise<void>;
  };
  /** Has these probes check the monitor soon. */
  recheck(monitorId: string, probeIds: string[]): void;
  clock: Clock;
}

/** Carries out a decision on an alert. May be repeated. `live` is the state of its monitor. */
export async function carryOut(
  deps: StepDeps, alert: HeldAlert, decision: Decision, live: MonitorLive | undefined,
): Promise<void> {
  const { held, clock } = deps;
  const { _id: id, status } = alert;
  const mayBeOver = status === 'held' && (decision.kind === 'send' || decision.kind === 'wait');
  if (decision.kind === 'end' || (mayBeOver && await isIncidentOver(deps, alert))) {
    await held.end(id, clock.now());
  } else if (decision.kind === 'wait') await held.postpone([id], decision.due_at);
  else if (decision.kind === 'hold') await hold(deps, alert, decision.change, live);
  else if (status === 'released' || await held.release(id)) await send(deps, alert);
}

/** A person may have ended it, or the monitor was paused. */
async function isIncidentOver({ incidents }: StepDeps, { incident_id }: HeldAlert): Promise<boolean> {
  if (incident_id === undefined) return false;
  const incident = await incidents.findById(incident_id);
  return incident === null || (incident.status !== 'open' && incident.status !== 'acknowledged');
}

async function send({ held, alerts, incidents, clock }: StepDeps, { _id: id, incident_id }: HeldAlert) {
  const alert = await held.alertOf(id);
  if (alert !== null) await alerts.fanOut(alert);
  if (incident_id !== undefined) await incidents.setHeldBy(incident_id, null);
  await held.settle(id, clock.now());
}

async function hold(
  deps: StepDeps, alert: HeldAlert, change: HoldChange, live: MonitorLive | undefined,
): Promise<void> {
  const { held, incidents, recheck } = deps;
  const { _id: id, monitor_id, incident_id } = alert;
  const { held_by = null, recovered_at } = change;
  const isNew = held_by !== null && !isDeepStrictEqual(held_by, alert.held_by);
  if (change.was_down && !alert.was_down) await log(deps, id, held_by?.name ?? '');
  if (isNew && incident_id !== undefined) await incidents.setHeldBy(incident_id, held_by);
  if (typeof recovered_at === 'number' && alert.recovered_at === undefined) {
    // Its own schedule may be too slow to see it up in time.
    recheck(monitor_id, (live?.regions ?? []).flatMap(({ probe_id }) => probe_id ?? []));
  }
  // Last, so that all of it is repeated after a crash.
  const isHeld = await held.keep(id, change);
  if (!isHeld && isNew && incident_id !== undefined) await incidents.setHeldBy(incident_id, null);
}

async function log({ held, alerts }: StepDeps, id: string, name: string): Promise<void> {
  const alert = await held.alertOf(id);
  if (alert !== null) await alerts.logHeld(alert, `the monitor depends on ${name}, which is down`);
}
