import { notFound } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { IncidentDeps } from '../deps.ts';
import type { IncidentDoc, ListedIncident } from '../incident.ts';
import type { IncidentQuery, NotificationQuery } from '../schema.ts';

type TenantContext = Pick<ProjectContext, 'tenant'>;

/** History entries per response. */
const MAX_UPDATES = 1000;
/** Verdicts per response. Most incidents have two. */
const MAX_VERDICTS = 10;

/** Returns one page, latest start first, and the total number of matches. */
export async function listIncidents(deps: IncidentDeps, ctx: ProjectContext, query: IncidentQuery) {
  const { incidents, total } = await deps.incidents.list(ctx.tenant, query);
  return { incidents: await withFailures(deps, incidents), total };
}

/** Includes the current number of failures. Throws RESOURCE_NOT_FOUND, including for other tenants. */
export async function readIncident(deps: IncidentDeps, ctx: TenantContext, id: string) {
  const incident = await findIncident(deps, ctx, id);
  return (await withFailures(deps, [incident]))[0] ?? incident;
}

/** Changes of the 30 minutes before the incident, newest first. */
export function changesBeforeIncident(
  { changes }: IncidentDeps, { tenant }: TenantContext, { check_id: id, started_at: at }: IncidentDoc,
) {
  return id === null ? [] : changes.before(tenant, id, at);
}

/** The stored document, without current failures. Throws RESOURCE_NOT_FOUND, including for other tenants. */
export async function findIncident(deps: Pick<IncidentDeps, 'incidents'>, ctx: TenantContext, id: string) {
  const incident = await deps.incidents.find(ctx.tenant, id);
  if (!incident) throw notFound('Incident');
  return incident;
}

/** Oldest first, including entries that are not copied yet. Throws RESOURCE_NOT_FOUND. */
export async function listIncidentUpdates(deps: IncidentDeps, ctx: ProjectContext, id: string) {
  const { pending_updates } = await findIncident(deps, ctx, id);
  const stored = await deps.updates.ofIncident(ctx.tenant, id, MAX_UPDATES);
  const storedIds = new Set(stored.map((line) => line._id));
  const pending = pending_updates.filter((line) => !storedIds.has(line._id));
  return [...stored, ...pending].sort((one, other) => one.created_at - other.created_at);
}

/** In the order of the verdicts. Empty if people or late results opened it. Throws RESOURCE_NOT_FOUND. */
export async function listIncidentVotes(deps: IncidentDeps, ctx: ProjectContext, id: string) {
  await findIncident(deps, ctx, id);
  return deps.votes.ofIncident(ctx.tenant, id, MAX_VERDICTS);
}

/** One page, newest first. Throws RESOURCE_NOT_FOUND. */
export async function listIncidentNotifications(
  deps: IncidentDeps, ctx: ProjectContext, id: string, query: NotificationQuery,
) {
  await findIncident(deps, ctx, id);
  return deps.notifications.ofIncident(ctx.tenant, id, query);
}

/** Adds failures since the incident opened, which the document does not have during the outage. */
async function withFailures<I extends ListedIncident>({ outages }: IncidentDeps, incidents: I[]) {
  const monitorIds = new Set(incidents.filter(isOngoing).flatMap(({ check_id }) => check_id ?? []));
  if (monitorIds.size === 0) return incidents;
  const failures = await outages.failures([...monitorIds]);
  return incidents.map((incident) => {
    const count = isOngoing(incident) ? (failures.get(incident._id) ?? 0) : 0;
    return count <= incident.failure_count ? incident : { ...incident, failure_count: count };
  });
}

function isOngoing({ created_by, status }: ListedIncident): boolean {
  return created_by === null && (status === 'open' || status === 'acknowledged');
}
