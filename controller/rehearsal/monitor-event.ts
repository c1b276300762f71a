import type { Alert, IncidentOpening, IncidentResolution } from '../verdicts/effect.ts';
import type { RuntimeStatus } from '../verdicts/monitor-config.ts';

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
