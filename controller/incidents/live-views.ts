import { derivedId } from '../../shared/ids.ts';
import type { LiveEvent } from '../events/event.ts';
import type { ListedIncident } from './incident.ts';
import { showIncident } from './views.ts';

/** The incident as it is now, told to whoever listens; the same revision is the same event, however often it is told. */
export function incidentEvent(incident: ListedIncident): LiveEvent {
  return {
    id: derivedId(incident._id, 'event', incident.revision),
    kind: 'incident',
    organization_id: incident.organization_id,
    project_id: incident.project_id,
    at: incident.updated_at,
    data: showIncident(incident),
  };
}
