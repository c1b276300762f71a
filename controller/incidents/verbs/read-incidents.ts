import { notFound } from '../../../shared/errors.ts';
import type { RequestContext } from '../../http/route.ts';
import { withFailures, type FailureDeps } from './failures.ts';
import type { IncidentDoc, IncidentUpdateDoc, ListedIncident } from '../incident.ts';
import type { IncidentQuery, IncidentReader, IncidentUpdateReader, NotificationEntry, NotificationLog, NotificationQuery } from '../ports.ts';

export interface IncidentDeps extends FailureDeps {
  incidents: IncidentReader;
  updates: IncidentUpdateReader;
  notifications: NotificationLog;
}

/** Lines of one incident's history in one answer. */
const MOST_UPDATES = 1000;

/** A page of the project's incidents, latest start first, and how many there are in all. */
export async function listIncidents(deps: IncidentDeps, ctx: RequestContext, query: IncidentQuery): Promise<{ incidents: ListedIncident[]; total: number }> {
  const { incidents, total } = await deps.incidents.list(ctx.tenant, query);
  return { incidents: await withFailures(deps, incidents), total };
}

/** The incident, with its failures so far. Throws RESOURCE_NOT_FOUND, also for somebody else's. */
export async function readIncident(deps: IncidentDeps, ctx: RequestContext, id: string): Promise<IncidentDoc> {
  const incident = await findIncident(deps, ctx, id);
  return (await withFailures(deps, [incident]))[0] ?? incident;
}

/** The incident's document. Throws RESOURCE_NOT_FOUND, also for somebody else's. */
export async function findIncident(deps: Pick<IncidentDeps, 'incidents'>, ctx: RequestContext, id: string): Promise<IncidentDoc> {
  const incident = await deps.incidents.find(ctx.tenant, id);
  if (!incident) throw notFound('Incident');
  return incident;
}

/** The incident's history, oldest first. Throws RESOURCE_NOT_FOUND. */
export async function listIncidentUpdates(deps: Omit<IncidentDeps, keyof FailureDeps>, ctx: RequestContext, id: string): Promise<IncidentUpdateDoc[]> {
  const incident = await findIncident(deps, ctx, id);
  const stored = await deps.updates.ofIncident(ctx.tenant, incident._id, MOST_UPDATES);
  const known = new Set(stored.map((line) => line._id));
  const pending = incident.pending_updates.filter((line) => !known.has(line._id));
  return [...stored, ...pending].sort((one, other) => one.created_at - other.created_at);
}

/** A page of the incident's notification log, newest first. Throws RESOURCE_NOT_FOUND. */
export async function listIncidentNotifications(
  deps: Omit<IncidentDeps, keyof FailureDeps>, ctx: RequestContext, id: string, query: NotificationQuery,
): Promise<{ entries: NotificationEntry[]; total: number }> {
  const incident = await findIncident(deps, ctx, id);
  return deps.notifications.ofIncident(ctx.tenant, incident._id, query);
}
