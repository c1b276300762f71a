import type { components } from '../api/openapi.d.ts';
import { incidentTexts } from '../texts/incidents.ts';
import { timeOf, durationText, Since } from '../ui/time.tsx';

export type Incident = components['schemas']['Incident'];
export const SEVERITIES = ['critical', 'major', 'minor', 'warning'] as const;

export function SeverityBadge({ of }: { of: Incident['severity'] }) {
  return <span class={`severity ${of}`}>{incidentTexts[of]}</span>;
}

export function StatusBadge({ of }: { of: Incident['status'] }) {
  const state = of === 'open' ? 'down' : of === 'acknowledged' ? 'degraded' : 'up';
  return <span class={`state-badge ${state}`}>{incidentTexts[of]}</span>;
}

export function isOver({ status }: Pick<Incident, 'status'>): boolean {
  return status === 'resolved' || status === 'closed';
}

/** How long it lasted, or lasts. */
export function Lasted({ of }: { of: Incident }) {
  if (!isOver(of) || of.resolved_at === null) return <Since at={of.started_at} />;
  return <>{durationText((timeOf(of.resolved_at) - timeOf(of.started_at)) / 1000)}</>;
}
