import type { components } from '../api/openapi.d.ts';
import { incidentTexts } from '../texts/incidents.ts';
import { timeOf, durationText, Since } from '../ui/time.tsx';

export type Incident = components['schemas']['Incident'];
export const SEVERITIES = ['critical', 'major', 'minor', 'warning'] as const;

export function SeverityBadge({ severity }: { severity: Incident['severity'] }) {
  return <span class={`severity ${severity}`}>{incidentTexts[severity]}</span>;
}

export function StatusBadge({ status }: { status: Incident['status'] }) {
  const state = status === 'open' ? 'down' : status === 'acknowledged' ? 'degraded' : 'up';
  return <span class={`state-badge ${state}`}>{incidentTexts[status]}</span>;
}

export function isOver({ status }: Pick<Incident, 'status'>): boolean {
  return status === 'resolved' || status === 'closed';
}

/** The duration of a resolved incident, or the time since an open one started. */
export function IncidentDuration({ incident }: { incident: Incident }) {
  if (!isOver(incident) || incident.resolved_at === null) return <Since at={incident.started_at} />;
  return <>{durationText((timeOf(incident.resolved_at) - timeOf(incident.started_at)) / 1000)}</>;
}
