import type { ListedIncident } from '../incident.ts';
import type { OutageLookup } from '../ports.ts';

export interface FailureDeps {
  outages: OutageLookup;
}

/** The incidents with as many failures as their outages have come to: while one lasts, its document knows those of its beginning only. */
export async function withFailures<I extends ListedIncident>({ outages }: FailureDeps, incidents: I[]): Promise<I[]> {
  const monitorIds = new Set(incidents.flatMap((incident) => (isLasting(incident) ? (incident.check_id ?? []) : [])));
  if (monitorIds.size === 0) return incidents;
  const failures = await outages.failures([...monitorIds]);
  return incidents.map((incident) => {
    const count = isLasting(incident) ? (failures.get(incident._id) ?? 0) : 0;
    return count <= incident.failure_count ? incident : { ...incident, failure_count: count };
  });
}

/** Whether the state machine opened it and nobody has ended it. */
function isLasting({ created_by, status }: ListedIncident): boolean {
  return created_by === null && (status === 'open' || status === 'acknowledged');
}
