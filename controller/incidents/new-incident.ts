import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import { derivedId, newId } from '../../shared/ids.ts';
import { searchText } from '../../shared/search-text.ts';
import { ownedBy, type Tenant } from '../accounts/tenant.ts';
import type { IncidentOpening } from '../verdicts/effect.ts';
import type { IncidentDoc, UpdateActor } from './incident.ts';
import type { IncidentInput } from './schema.ts';

/** Longest texts of an incident (HTTP API, "Limits"). */
const LONGEST_TITLE = 255;
const LONGEST_ERROR = 1000;

/** What every new incident has in common. */
const UNTOUCHED = Object.freeze({
  status: 'open', acknowledged_at: null, assignee_id: null, acknowledged_by_name: null,
  resolved_at: null, resolved_by: null, recovery_time_seconds: null,
  notification_sent: false, postmortem: null, revision: 1,
} as const);

export interface CreationRefusal {
  message: string;
  fields: ('title' | 'check_id')[];
  /** The specification answers it with 500. */
  isFault?: true;
}

/** Why title, monitor and source contradict each other; null when they do not. */
export function creationRefusal({ title, check_id, source }: IncidentInput): CreationRefusal | null {
  if (source === 'system' && check_id === undefined) {
    return { message: 'System incidents must have a check_id', fields: ['check_id'], isFault: true };
  }
  if (title !== undefined) return null;
  if (source === 'manual') return { message: 'Manual incidents must have a title', fields: ['title'] };
  if (check_id !== undefined) return null;
  return { message: 'Either check_id or title must be provided', fields: ['check_id', 'title'] };
}

export interface Creation {
  tenant: Tenant;
  /** The person who created it, or who created the key that did. */
  createdBy: string;
  actor: UpdateActor;
  monitor: { name: string; type: MonitorType } | null;
  /** Unix ms. */
  now: number;
}

/** The incident that somebody opens through the API, with the first line of its history. */
export function createdIncident(input: IncidentInput, creation: Creation): IncidentDoc {
  const { tenant, createdBy, actor, monitor, now } = creation;
  const { check_id = null, severity, type, error_message, affected_regions, affected_monitor_ids } = input;
  const _id = newId(now);
  const title = input.title ?? titleOf(type, monitor?.name ?? '');
  const opening = { incident_id: _id, kind: 'created', to: 'open', actor, created_at: now } as const;
  return {
    _id, ...ownedBy(tenant), created_by: createdBy,
    check_id, monitor_name: monitor?.name ?? null, check_type: monitor?.type ?? null,
    severity, type, source: input.source ?? (check_id === null ? 'manual' : 'system'), title,
    description: input.description ?? null, status_page_update: input.status_page_update ?? null,
    error_message, affected_regions, affected_monitor_ids, failure_count: input.failure_count,
    started_at: input.started_at ?? now, ...UNTOUCHED, notification_channels: [],
    search_text: searchText(title, monitor?.name ?? '', error_message),
    pending_updates: [{ _id: derivedId(_id, 'update', 'created'), ...ownedBy(tenant), ...opening }],
    created_at: now, updated_at: now,
  };
}

/** The incident that the state machine opens. `now` is Unix ms. */
export function openedIncident(opening: IncidentOpening, now: number): IncidentDoc {
  const { id, severity, type, affected_regions, failure_count, started_at, late } = opening;
  const { organization_id, project_id, monitor_id, name, type: check_type } = opening.monitor;
  const title = late ? `${name} was down`.slice(0, LONGEST_TITLE) : titleOf(type, name);
  const error_message = (opening.error_message || type).slice(0, LONGEST_ERROR);
  return {
    _id: id, organization_id, project_id, created_by: null,
    check_id: monitor_id, monitor_name: name, check_type,
    severity, type, source: 'system', title, description: null, status_page_update: null, error_message,
    affected_regions, affected_monitor_ids: [monitor_id], failure_count,
    started_at, ...UNTOUCHED, ...(late ? { late } : {}), notification_channels: [],
    search_text: searchText(title, name, error_message), pending_updates: [],
    created_at: now, updated_at: now,
  };
}

function titleOf(type: ErrorType, monitorName: string): string {
  return `${monitorName} ${type === 'slow_response' ? 'responds slowly' : 'is down'}`.slice(0, LONGEST_TITLE);
}
