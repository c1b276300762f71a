import type { AlertDetails } from './alert.ts';

/** What an alert says about the state of its incident, for channels that track incidents. */
export interface IncidentState {
  /** The same for all alerts of an incident. */
  key: string;
  /** For example `slow_response`. */
  kind: string;
  /** `once`: an event without an end. */
  state: 'open' | 'acknowledged' | 'over' | 'once';
  severity: 'critical' | 'warning';
}

/** Events that end what another event began. */
const ENDS: Partial<Record<AlertDetails['event'], AlertDetails['event']>> = {
  'monitor.up': 'monitor.down', 'monitor.slow_response_resolved': 'monitor.slow_response',
  'monitor.no_data_resolved': 'monitor.no_data', 'probe.online': 'probe.offline',
  'probe.released': 'probe.quarantined',
};
const ONCE: readonly AlertDetails['event'][] = ['monitor.ssl_expiring', 'monitor.domain_expiring', 'monitor.region_degraded'];
const CRITICAL: readonly AlertDetails['event'][] = ['monitor.down', 'probe.offline'];

export function incidentState({ event, opened_by, incident, monitor, probe }: AlertDetails): IncidentState {
  const begin = ENDS[event] ?? opened_by ?? event;
  const kind = begin.slice(begin.indexOf('.') + 1);
  const key = incident?.id ?? `${(monitor ?? probe)?.id}-${kind}`;
  const severity = CRITICAL.includes(begin) ? 'critical' : 'warning';
  if (event === 'incident.acknowledged') return { key, kind, severity, state: 'acknowledged' };
  const isOver = event === 'incident.resolved' || ENDS[event] !== undefined;
  return { key, kind, severity, state: isOver ? 'over' : (ONCE.includes(event) ? 'once' : 'open') };
}
