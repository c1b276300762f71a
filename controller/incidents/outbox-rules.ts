import { derivedId } from '../../shared/ids.ts';
import { searchText } from '../../shared/search-text.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import type { IncidentOpening } from '../verdicts/effect.ts';
import type { IncidentDoc, IncidentUpdateDoc, UpdateActor } from './incident.ts';

/** Longest texts of an incident (HTTP API, "Limits"). */
const LONGEST_TITLE = 255;
const LONGEST_ERROR = 1000;

const SYSTEM: UpdateActor = Object.freeze({ type: 'system', id: null, name: 'Farwatch' });

/** The incident that the state machine opens, as it is stored. `now` is Unix ms. */
export function openedIncident(opening: IncidentOpening, now: number): IncidentDoc {
  const { monitor } = opening;
  const title = opening.late ? `${monitor.name} was down`.slice(0, LONGEST_TITLE) : titleOf(opening.type, monitor.name);
  const message = (opening.error_message || opening.type).slice(0, LONGEST_ERROR);
  return {
    _id: opening.id,
    organization_id: monitor.organization_id,
    project_id: monitor.project_id,
    created_by: null,
    check_id: monitor.monitor_id,
    monitor_name: monitor.name,
    check_type: monitor.type,
    status: 'open',
    severity: opening.severity,
    type: opening.type,
    source: 'system',
    title,
    description: null,
    status_page_update: null,
    error_message: message,
    affected_regions: opening.affected_regions,
    affected_monitor_ids: [monitor.monitor_id],
    failure_count: opening.failure_count,
    started_at: opening.started_at,
    acknowledged_at: null,
    assignee_id: null,
    acknowledged_by_name: null,
    resolved_at: null,
    resolved_by: null,
    recovery_time_seconds: null,
    ...(opening.late ? { late: opening.late } : {}),
    notification_sent: false,
    notification_channels: [],
    postmortem: null,
    search_text: searchText(title, monitor.name, message),
    revision: 1,
    pending_updates: [],
    created_at: now,
    updated_at: now,
  };
}

/** The first line of an incident's history. */
export function openingUpdate(incident: IncidentDoc): IncidentUpdateDoc {
  return { ...updateOf(incident, 'created'), kind: 'created', to: 'open', actor: SYSTEM, created_at: incident.created_at };
}

/** The history's line for a resolution by the state machine; the same for the same incident, however often it is made. */
export function resolutionUpdate(incident: IncidentDoc): IncidentUpdateDoc {
  return {
    ...updateOf(incident, 'resolved'),
    kind: 'status_change',
    field: 'status',
    from: incident.acknowledged_at === null ? 'open' : 'acknowledged',
    to: 'resolved',
    actor: SYSTEM,
    // Later than the opening's line, also when both were written within one millisecond.
    created_at: Math.max(incident.updated_at, incident.created_at + 1),
  };
}

/** Whole seconds from the start to the resolution; 0 when a clock says that it ended before it began. */
export function recoverySeconds(startedAt: number, resolvedAt: number): number {
  return Math.max(0, Math.round((resolvedAt - startedAt) / 1000));
}

function updateOf(incident: IncidentDoc, what: string) {
  const { _id, organization_id, project_id } = incident;
  return { _id: derivedId(_id, 'update', what), organization_id, project_id, incident_id: _id };
}

/** What an incident is called that nobody gave a title. */
export function titleOf(type: ErrorType, monitorName: string): string {
  return `${monitorName} ${type === 'slow_response' ? 'responds slowly' : 'is down'}`.slice(0, LONGEST_TITLE);
}
