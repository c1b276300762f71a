import { notFound } from '../../shared/errors.ts';
import type { RequestContext } from '../http/route.ts';
import type { IncidentDoc, IncidentUpdateDoc, ListedIncident } from './incident.ts';
import type { IncidentQuery, IncidentReader, IncidentUpdateReader, NotificationEntry, NotificationLog, NotificationQuery } from './ports.ts';

export interface IncidentDeps {
  incidents: IncidentReader;
  updates: IncidentUpdateReader;
  notifications: NotificationLog;
}

/** Lines of one incident's history in one answer. */
const MOST_UPDATES = 1000;

/** A page of the project's incidents, latest start first, and how many there are in all. */
export function listIncidents(deps: IncidentDeps, ctx: RequestContext, query: IncidentQuery): Promise<{ incidents: ListedIncident[]; total: number }> {
  return deps.incidents.list(ctx.tenant, query);
}

/** The incident. Throws RESOURCE_NOT_FOUND, also for somebody else's. */
export async function readIncident(deps: IncidentDeps, ctx: RequestContext, id: string): Promise<IncidentDoc> {
  const incident = await deps.incidents.find(ctx.tenant, id);
  if (!incident) throw notFound('Incident');
  return incident;
}

/** The incident's history, oldest first. Throws RESOURCE_NOT_FOUND. */
export async function listIncidentUpdates(deps: IncidentDeps, ctx: RequestContext, id: string): Promise<IncidentUpdateDoc[]> {
  const incident = await readIncident(deps, ctx, id);
  const stored = await deps.updates.ofIncident(ctx.tenant, incident._id, MOST_UPDATES);
  const known = new Set(stored.map((line) => line._id));
  const pending = incident.pending_updates.filter((line) => !known.has(line._id));
  return [...stored, ...pending].sort((one, other) => one.created_at - other.created_at);
}

/** A page of the incident's notification log, newest first. Throws RESOURCE_NOT_FOUND. */
export async function listIncidentNotifications(
  deps: IncidentDeps, ctx: RequestContext, id: string, query: NotificationQuery,
): Promise<{ entries: NotificationEntry[]; total: number }> {
  const incident = await readIncident(deps, ctx, id);
  return deps.notifications.ofIncident(ctx.tenant, incident._id, query);
}
