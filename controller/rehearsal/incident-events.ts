import type { PastIncident } from '../incidents/past-incident.ts';
import type { Alert, IncidentOpening, IncidentResolution } from '../verdicts/effect.ts';
import type { MonitorConfig, RuntimeStatus } from '../verdicts/monitor-config.ts';

/** An event of a monitor at `at`, Unix ms, under a policy. */
export type MonitorEvent = { at: number; monitor_id: string } & (
  | { kind: 'open'; opening: IncidentOpening }
  | { kind: 'resolve'; resolution: IncidentResolution }
  | { kind: 'alert'; alert: Alert }
  | { kind: 'acknowledge' | 'end_by_hand'; incident_id: string }
  | { kind: 'status'; status: RuntimeStatus; since: number; open_incident: { id: string } | null }
);

/** Half-open time range, Unix ms. */
export interface Span {
  from: number;
  until: number;
}

/** The history of a monitor under a policy. */
export interface MonitorEvents {
  /** In order. */
  events: MonitorEvent[];
  /** When checks in all regions would have found it down, in order. */
  failing: Span[];
}

/** The events of a monitor according to an incident. Used where results are no longer stored. */
export function eventsOf(incident: PastIncident, monitor: MonitorConfig): MonitorEvent[] {
  const { id, monitor_id, severity, type, error_message, features, started_at, opened_at, ended } = incident;
  // Late results send no alerts.
  if (incident.late) return [];
  const error = { type, message: error_message };
  const alert = { monitor, error, severity, regions: [], at: started_at };
  const alertedAt = Math.max(opened_at, incident.maintenance_until ?? 0);
  const isAlerted = ended === null || ended.at > alertedAt || incident.maintenance_until === null;
  const of = { monitor_id } as const;
  const events: MonitorEvent[] = [
    { ...of, at: opened_at, kind: 'open', opening: {
      id, monitor, severity, type, error_message, features, started_at,
      affected_regions: [], failure_count: 1,
    } },
    { ...of, at: opened_at, kind: 'status', status: 'down', since: started_at, open_incident: { id } },
  ];
  if (isAlerted) {
    const about = { id, started_at, resolved_at: null };
    events.push({ ...of, at: alertedAt, kind: 'alert', alert: {
      ...alert, id: `${id} down`, event: 'monitor.down', incident: about,
    } });
  }
  if (incident.acknowledged_at !== null) {
    events.push({ ...of, at: incident.acknowledged_at, kind: 'acknowledge', incident_id: id });
  }
  if (ended === null) return events;
  const { at } = ended;
  if (ended.by_hand) return [...events, { ...of, at, kind: 'end_by_hand', incident_id: id }];
  events.push(
    { ...of, at, kind: 'status', status: 'up', since: at, open_incident: null },
    { ...of, at, kind: 'resolve', resolution: { id, monitor, resolved_at: at, failure_count: 1 } },
  );
  if (isAlerted) {
    const about = { id, started_at, resolved_at: at };
    events.push({ ...of, at, kind: 'alert', alert: {
      ...alert, id: `${id} up`, event: 'monitor.up', at, incident: about,
    } });
  }
  return events;
}
