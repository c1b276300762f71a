import { each, restoring } from '../platform/mongo/null-fields.ts';
import type { IncidentDoc, IncidentUpdateDoc, ListedIncident, UpdateActor } from './incident.ts';

const restoreActor = restoring<UpdateActor>({ id: null });
const restoreLine = restoring<IncidentUpdateDoc>({}, { actor: restoreActor });

/** Only `field_change` entries have nullable `from` and `to`. */
export function restoreUpdate(line: IncidentUpdateDoc): IncidentUpdateDoc {
  if (line.kind === 'field_change') {
    line.from ??= null;
    line.to ??= null;
  }
  return restoreLine(line);
}

const NULLS = {
  created_by: null, check_id: null, monitor_name: null, check_type: null, description: null,
  status_page_update: null, acknowledged_at: null, assignee_id: null, acknowledged_by_name: null,
  resolved_at: null, resolved_by: null, recovery_time_seconds: null,
} as const;

export const restoreListed = restoring<ListedIncident>(NULLS);

export const restoreIncident = restoring<IncidentDoc>({ ...NULLS, postmortem: null }, {
  postmortem: restoring<NonNullable<IncidentDoc['postmortem']>>({}, { author: restoreActor }),
  pending_updates: each(restoreUpdate),
});
