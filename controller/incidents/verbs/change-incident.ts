import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { fieldError } from '../../http/input/validation.ts';
import { retryOnConflict } from '../../platform/mongo/mongo-errors.ts';
import {
  describeIncident, finalRefusal, isEmpty, moveIncident, moveRefusal, rewritePostmortem, type DecidedChange,
  type Description, type StatusMove,
} from '../change-rules.ts';
import type { IncidentDeps } from '../deps.ts';
import type { IncidentDoc } from '../incident.ts';
import { updateActor } from '../outbox.ts';
import type { StatusInput } from '../schema.ts';
import { incidentEvent } from '../views.ts';
import { findIncident, readIncident } from './read-incidents.ts';

type ChangeContext = Pick<ProjectContext, 'tenant' | 'now'>;

/**
 * Throws RESOURCE_NOT_FOUND, VALIDATION_ERROR for a transition that is not allowed or an assignee without
 * access to the project, CONFLICT if concurrent changes keep winning.
 */
export async function changeStatus(deps: IncidentDeps, ctx: ProjectContext, id: string, input: StatusInput) {
  // Report a missing incident before an invalid assignee.
  if (input.assignee_id !== undefined) await findIncident(deps, ctx, id);
  const assignee = await assigneeOf(deps, ctx, input.assignee_id);
  const { status: to, note } = input;
  return moveStatus(deps, ctx, id, (seen) => {
    refuse(moveRefusal(seen.status, to));
    return { to, note, actor: updateActor(ctx.actor), assignee };
  });
}

/** Makes the move that `decide` returns, if any. Throws its errors, RESOURCE_NOT_FOUND, CONFLICT. */
export async function moveStatus(
  deps: IncidentDeps, ctx: ChangeContext, id: string,
  decide: (seen: IncidentDoc) => Omit<StatusMove, 'shardOf'> | null,
): Promise<IncidentDoc> {
  let isNews = false;
  const changed = await changeIncident(deps, ctx, id, (seen) => {
    const move = decide(seen);
    isNews = move !== null && seen.status !== 'resolved';
    return move && moveIncident(seen, { ...move, shardOf: deps.shardOf }, ctx.now);
  });
  if (isNews) await deps.onStatusChanged(changed);
  return changed;
}

/** Throws the errors of `changeStatus`. */
export function acknowledgeIncident(deps: IncidentDeps, ctx: ProjectContext, id: string) {
  return changeStatus(deps, ctx, id, { status: 'acknowledged', note: 'Incident acknowledged' });
}

/**
 * Changes descriptive fields. Throws RESOURCE_NOT_FOUND, INTERNAL_ERROR if none is given (as specified),
 * VALIDATION_ERROR if the incident is closed, CONFLICT if concurrent changes keep winning.
 */
export async function updateIncident(deps: IncidentDeps, ctx: ProjectContext, id: string, to: Description) {
  if (isEmpty(to)) throw new AppError('INTERNAL_ERROR', 'At least one field must be provided for update');
  return changeIncident(deps, ctx, id, (seen) => {
    refuse(finalRefusal(seen.status));
    return describeIncident(seen, to, updateActor(ctx.actor), ctx.now);
  });
}

/**
 * Works on closed incidents too. An empty text removes the postmortem. Throws RESOURCE_NOT_FOUND, CONFLICT.
 */
export async function writePostmortem(deps: IncidentDeps, ctx: ProjectContext, id: string, text: string) {
  const author = updateActor(ctx.actor);
  return changeIncident(deps, ctx, id, (seen) => rewritePostmortem(seen, text, author, ctx.now));
}

/**
 * Publishes the change and copies its history entries to `incident_updates`. If copying fails, reads take the
 * entries from the incident, and the next change copies them.
 */
export async function publishChange(deps: IncidentDeps, incident: IncidentDoc) {
  const { incidents, updates, events, onChanged, notifyOwner, log } = deps;
  onChanged();
  if (incident.unjournaled !== undefined && incident.check_id !== null) notifyOwner(incident.check_id);
  events.publish(incidentEvent(incident));
  if (incident.pending_updates.length === 0) return;
  try {
    for (const line of incident.pending_updates) await updates.insertIfAbsent(line);
    await incidents.clearPending(incident);
  } catch (error) {
    const context = { err: error, incident_id: incident._id };
    log.warn(context, 'could not copy the history of an incident; the next change will copy it');
  }
}

/**
 * Removes an organization's incidents that started and last changed before `before`, Unix ms, with their
 * history, comments and votes: those that ended, and those that are not of its projects. Returns how many;
 * `limit` means that there may be more.
 */
export async function removeAgedIncidents(
  { incidents, updates, comments, votes }: Pick<IncidentDeps, 'incidents' | 'updates' | 'comments' | 'votes'>,
  organizationId: string, projectIds: string[], before: number, limit: number,
) {
  const ids = await incidents.agedIds(organizationId, projectIds, before, limit);
  await Promise.all([updates, comments, votes].map((store) => store.removeOf(ids)));
  await incidents.remove(ids);
  return ids.length;
}

/**
 * Writes what `decide` returns, and decides again if the incident changed meanwhile. Null changes nothing.
 */
function changeIncident(
  deps: IncidentDeps, ctx: ChangeContext, id: string, decide: (seen: IncidentDoc) => DecidedChange | null,
): Promise<IncidentDoc> {
  return retryOnConflict('The incident is', async () => {
    const seen = await readIncident(deps, ctx, id);
    const decided = decide(seen);
    if (decided === null) return seen;
    // Store the current number of failures, which cannot be read after the incident is resolved.
    const change = { failure_count: seen.failure_count, ...decided.change };
    const changed = await deps.incidents.change(seen, change, decided.updates);
    if (changed) await publishChange(deps, changed);
    return changed;
  });
}

async function assigneeOf({ people }: IncidentDeps, ctx: ProjectContext, id: string | undefined) {
  const { actor, tenant } = ctx;
  if (id === undefined) return { id: actor.kind === 'session' ? actor.userId : null, name: actor.name };
  const person = await people.assignee(tenant, id);
  if (person) return person;
  throw fieldError('assignee_id', 'Must be an organization member with access to the project');
}

function refuse(refusal: string | null): void {
  if (refusal !== null) throw new AppError('VALIDATION_ERROR', refusal);
}
