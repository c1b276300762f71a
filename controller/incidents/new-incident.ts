import type { ErrorType } from '../../shared/contracts/result.ts';
import { derivedId, newId } from '../../shared/ids.ts';
import { ownedBy } from '../access/tenant.ts';
import { authorOf, type ProjectContext } from '../http/routing/route.ts';
import { searchText } from '../monitors/search-text.ts';
import type { IncidentOpening } from '../verdicts/effect.ts';
import type { IncidentDoc, UpdateActor } from './incident.ts';
import type { MonitorSummary } from './ports.ts';
import type { IncidentInput } from './schema.ts';

/** Limits of the HTTP API ("Limits"). */
const MAX_TITLE_LENGTH = 255;
const MAX_ERROR_LENGTH = 1000;

const INITIAL_FIELDS = Object.freeze({
  status: 'open', acknowledged_at: null, assignee_id: null, acknowledged_by_name: null, resolved_at: null,
  resolved_by: null, recovery_time_seconds: null, notification_sent: false, postmortem: null, revision: 1,
} as const);

/** Builds an incident opened through the API, with its first history entry. */
export function incidentFromInput(
  input: IncidentInput, { tenant, actor, now }: ProjectContext, monitor: MonitorSummary | null,
): IncidentDoc {
  const { check_id = null, source = check_id === null ? 'manual' : 'system', severity, type } = input;
  const { error_message, affected_regions, affected_monitor_ids, failure_count, started_at = now } = input;
  const { title = titleOf(type, monitor?.name ?? ''), description = null, status_page_update = null } = input;
  const _id = newId(now);
  const line = { incident_id: _id, actor: updateActor(actor), created_at: now };
  const opening = { kind: 'created', to: 'open', ...line } as const;
  return {
    _id, ...ownedBy(tenant), created_by: authorOf(actor),
    check_id, monitor_name: monitor?.name ?? null, check_type: monitor?.type ?? null,
    severity, type, source, title, description, status_page_update, error_message,
    affected_regions, affected_monitor_ids, failure_count, started_at,
    ...INITIAL_FIELDS, notification_channels: [], created_at: now, updated_at: now,
    search_text: searchText(title, monitor?.name ?? '', error_message),
    pending_updates: [{ _id: derivedId(_id, 'update', 'created'), ...ownedBy(tenant), ...opening }],
  };
}

/** Builds an incident opened by the state machine. `now` is Unix ms. */
export function incidentFromOpening(opening: IncidentOpening, now: number): IncidentDoc {
  const { id, severity, type, affected_regions, failure_count, started_at, late } = opening;
  const { maintenance_until } = opening;
  const { organization_id, project_id, monitor_id, name, type: check_type } = opening.monitor;
  const title = late ? `${name} was down`.slice(0, MAX_TITLE_LENGTH) : titleOf(type, name);
  const error_message = (opening.error_message || type).slice(0, MAX_ERROR_LENGTH);
  return {
    _id: id, organization_id, project_id, created_by: null,
    check_id: monitor_id, monitor_name: name, check_type,
    severity, type, source: 'system', title, description: null, status_page_update: null, error_message,
    affected_regions, affected_monitor_ids: [monitor_id], failure_count, started_at,
    ...(late ? { late } : {}), ...(maintenance_until === undefined ? {} : { maintenance_until }),
    ...INITIAL_FIELDS,
    notification_channels: [], created_at: now, updated_at: now,
    search_text: searchText(title, name, error_message), pending_updates: [],
  };
}

export function updateActor(actor: ProjectContext['actor']): UpdateActor {
  const { name } = actor;
  if (actor.kind === 'session') return { type: 'user', id: actor.userId, name };
  return { type: 'api_key', id: actor.keyId, name };
}

function titleOf(type: ErrorType, monitorName: string): string {
  return `${monitorName} ${type === 'slow_response' ? 'is responding slowly' : 'is down'}`.slice(0, MAX_TITLE_LENGTH);
}
