import type { Tenant } from '../accounts/tenant.ts';
import { derivedId, newId } from '../../shared/ids.ts';
import { searchText } from '../../shared/search-text.ts';
import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import type { Severity } from '../verdicts/monitor-config.ts';
import type { IncidentDoc, IncidentSource, UpdateActor } from './incident.ts';
import { titleOf } from './outbox-rules.ts';

/** An incident as somebody asks for it; `started_at` is Unix ms. */
export interface NewIncident {
  severity: Severity;
  type: ErrorType;
  error_message: string;
  title?: string | undefined;
  check_id?: string | undefined;
  source?: IncidentSource | undefined;
  description?: string | undefined;
  status_page_update?: string | undefined;
  affected_regions: string[];
  affected_monitor_ids: string[];
  failure_count: number;
  started_at?: number | undefined;
}

/** Fields that contradict each other, with the reason; null when they do not. `isFault` is what the specification answers with 500. */
export interface CreationRefusal {
  message: string;
  fields: ('title' | 'check_id')[];
  isFault: boolean;
}

/** Why title, monitor and source cannot stand together; null when they can. */
export function creationRefusal({ title, check_id, source }: Pick<NewIncident, 'title' | 'check_id' | 'source'>): CreationRefusal | null {
  if (source === 'system' && check_id === undefined) return { message: 'System incidents must have a check_id', fields: ['check_id'], isFault: true };
  if (title !== undefined) return null;
  if (source === 'manual') return { message: 'Manual incidents must have a title', fields: ['title'], isFault: false };
  if (check_id === undefined) return { message: 'Either check_id or title must be provided', fields: ['check_id', 'title'], isFault: false };
  return null;
}

export interface Creation {
  tenant: Tenant;
  /** The person who made it, or who made the key that did. */
  createdBy: string;
  actor: UpdateActor;
  monitor: { name: string; type: MonitorType } | null;
  /** Unix ms. */
  now: number;
}

/** The incident as it is stored, open, with the first line of its history. */
export function createdIncident(input: NewIncident, creation: Creation): IncidentDoc {
  const { tenant, actor, monitor, now } = creation;
  const id = newId(now);
  const title = input.title ?? titleOf(input.type, monitor?.name ?? '');
  const place = { organization_id: tenant.organizationId, project_id: tenant.projectId };
  return {
    _id: id, ...place, created_by: creation.createdBy,
    check_id: input.check_id ?? null, monitor_name: monitor?.name ?? null, check_type: monitor?.type ?? null,
    status: 'open', severity: input.severity, type: input.type, source: input.source ?? (input.check_id === undefined ? 'manual' : 'system'),
    title, description: input.description ?? null, status_page_update: input.status_page_update ?? null, error_message: input.error_message,
    affected_regions: input.affected_regions, affected_monitor_ids: input.affected_monitor_ids, failure_count: input.failure_count,
    started_at: input.started_at ?? now,
    acknowledged_at: null, assignee_id: null, acknowledged_by_name: null, resolved_at: null, resolved_by: null, recovery_time_seconds: null,
    notification_sent: false, notification_channels: [], postmortem: null,
    search_text: searchText(title, monitor?.name ?? '', input.error_message),
    revision: 1,
    pending_updates: [{ _id: derivedId(id, 'update', 'created'), ...place, incident_id: id, kind: 'created', to: 'open', actor, created_at: now }],
    created_at: now, updated_at: now,
  };
}
