import type { Alert } from '../verdicts/effect.ts';

/** Alerts that a dependency can hold: those of conditions that end. */
export type OutageEvent = 'monitor.down' | 'monitor.slow_response' | 'monitor.no_data';

/** A dependency as an incident shows it. */
export interface HeldBy {
  monitor_id: string;
  name: string;
}

/**
 * A document of `held_alerts`: an alert of a monitor with dependencies, and what became of it. It is kept for
 * some weeks after that, because the alert or its recovery may be repeated. Instants are Unix ms.
 */
export interface HeldAlertDoc {
  /** The alert's id. */
  _id: string;
  organization_id: string;
  project_id: string;
  monitor_id: string;
  event: OutageEvent;
  incident_id?: string;
  /** The outage consists of several, with alerts only at the first and after the last. */
  is_flapping?: true;
  /** The alert as JSON, because it is only read as a whole. */
  alert: string;
  /** Of the monitor. */
  shard: number;
  held_at: number;
  /** When to decide again; absent once there is nothing left to do. */
  due_at?: number;
  /** `ended`: the outage was over first, so nobody gets an alert. */
  status: 'held' | 'released' | 'ended';
  /** The dependency that holds it. */
  held_by?: HeldBy;
  /** One of the dependencies was down, and the notification log says so. */
  was_down?: true;
  /** When the last dependency that was down recovered. */
  recovered_at?: number;
  /** The alert that ended the outage. */
  recovery_id?: string;
  settled_at?: number;
}

/** Without the alert itself. */
export type HeldAlert = Omit<HeldAlertDoc, 'alert'>;

/** What changes while an alert is still held. `recovered_at` is null if a dependency is down again. */
export interface HoldChange {
  held_by?: HeldBy;
  was_down?: true;
  recovered_at?: number | null;
  due_at: number;
}

export function heldAlertOf(
  alert: Alert & { event: OutageEvent }, { shard, now }: { shard: number; now: number },
): HeldAlertDoc {
  const { monitor: { organization_id, project_id, monitor_id }, event, incident, flapping } = alert;
  return {
    _id: alert.id, organization_id, project_id, monitor_id, event, shard, held_at: now, due_at: now,
    ...(incident ? { incident_id: incident.id } : {}), ...(flapping ? { is_flapping: true } : {}),
    status: 'held', alert: JSON.stringify(alert),
  };
}
