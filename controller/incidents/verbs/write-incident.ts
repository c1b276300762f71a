import { AppError, notFound } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import type { EventPublisher } from '../../events/event.ts';
import type { ProjectContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import { describeIncident, isEmpty, type Description } from '../change-rules.ts';
import { createdIncident, creationRefusal } from '../creation-rules.ts';
import { withFailures, type FailureDeps } from './failures.ts';
import type { IncidentDoc, UpdateActor } from '../incident.ts';
import { incidentEvent } from '../live-views.ts';
import type { AssigneeLookup, IncidentRepository, IncidentUpdateRepository, MonitorLookup } from '../ports.ts';
import { finalRefusal, moveIncident, moveRefusal, nextInstant, type DecidedChange } from '../status-rules.ts';
import type { IncidentInput, StatusInput } from '../write-schema.ts';

export interface IncidentWriteDeps extends FailureDeps {
  incidents: IncidentRepository;
  updates: IncidentUpdateRepository;
  monitors: MonitorLookup;
  people: AssigneeLookup;
  events: EventPublisher;
  log: Log;
}

/** Tries of a change that others change at the same time. */
const CHANGE_TRIES = 20;

/**
 * An open incident. Throws VALIDATION_ERROR where title, monitor and source contradict each other or a monitor is not of
 * the project, INTERNAL_ERROR for a system incident without a monitor, as the specification has it.
 */
export async function createIncident(deps: IncidentWriteDeps, ctx: ProjectContext, input: IncidentInput): Promise<IncidentDoc> {
  const refusal = creationRefusal(input);
  if (refusal?.isFault) throw new AppError('INTERNAL_ERROR', refusal.message);
  if (refusal) {
    const errors = Object.fromEntries(refusal.fields.map((field) => [field, refusal.message]));
    throw new AppError('VALIDATION_ERROR', refusal.message, { details: { errors } });
  }
  const monitor = await knownMonitor(deps, ctx, input);
  const { actor } = ctx;
  const createdBy = actor.kind === 'session' ? actor.userId : actor.createdBy;
  const doc = createdIncident(input, { tenant: ctx.tenant, createdBy, actor: updateActor(ctx), monitor, now: ctx.now });
  await deps.incidents.insert(doc);
  await settle(deps, doc);
  return doc;
}

/**
 * The incident in its new status. Throws RESOURCE_NOT_FOUND, VALIDATION_ERROR for a move that is not allowed or an
 * assignee who has no access to the project, CONFLICT when others keep changing it.
 */
export async function changeStatus(deps: IncidentWriteDeps, ctx: ProjectContext, id: string, input: StatusInput): Promise<IncidentDoc> {
  // That there is no such incident comes before what is wrong with its assignee.
  if (input.assignee_id !== undefined && !(await deps.incidents.find(ctx.tenant, id))) throw notFound('Incident');
  const assignee = await assigneeOf(deps, ctx, input.assignee_id);
  const { status: to, note } = input;
  return change(deps, ctx, id, (seen) => {
    refuse(moveRefusal(seen.status, to));
    return moveIncident(seen, { to, note, actor: updateActor(ctx), assignee }, ctx.now);
  });
}

/** `changeStatus` to acknowledged, with a note that says so. */
export function acknowledgeIncident(deps: IncidentWriteDeps, ctx: ProjectContext, id: string): Promise<IncidentDoc> {
  return changeStatus(deps, ctx, id, { status: 'acknowledged', note: 'Incident acknowledged' });
}

/**
 * Changes descriptive fields. Throws INTERNAL_ERROR when none is given, as the specification has it, RESOURCE_NOT_FOUND,
 * VALIDATION_ERROR when it is closed, CONFLICT when others keep changing it.
 */
export async function updateIncident(deps: IncidentWriteDeps, ctx: ProjectContext, id: string, wanted: Description): Promise<IncidentDoc> {
  if (isEmpty(wanted)) throw new AppError('INTERNAL_ERROR', 'At least one field must be provided for update');
  return change(deps, ctx, id, (seen) => {
    refuse(finalRefusal(seen.status));
    return describeIncident(seen, wanted, updateActor(ctx), ctx.now);
  });
}

/** Writes the postmortem, also of a closed incident; an empty text takes it away. Throws RESOURCE_NOT_FOUND, CONFLICT. */
export async function writePostmortem(deps: IncidentWriteDeps, ctx: ProjectContext, id: string, text: string): Promise<IncidentDoc> {
  return change(deps, ctx, id, (seen) => {
    if (text === (seen.postmortem?.text ?? '')) return null;
    const at = nextInstant(seen, ctx.now);
    return { change: { postmortem: text === '' ? null : { text, author: updateActor(ctx), updated_at: at }, updated_at: at }, updates: [] };
  });
}

/** Decides on the incident as it is and writes where it still is so; null from `decide` changes nothing. */
async function change(
  deps: IncidentWriteDeps, ctx: ProjectContext, id: string, decide: (seen: IncidentDoc) => DecidedChange | null,
): Promise<IncidentDoc> {
  for (let attempt = 0; attempt < CHANGE_TRIES; attempt += 1) {
    const found = await deps.incidents.find(ctx.tenant, id);
    if (!found) throw notFound('Incident');
    const [seen = found] = await withFailures(deps, [found]);
    const decided = decide(seen);
    if (decided === null) return seen;
    // Also what an incident that a person resolves has come to is kept so.
    const changed = await deps.incidents.change(seen, { failure_count: seen.failure_count, ...decided.change }, decided.updates);
    if (changed) {
      await settle(deps, changed);
      return changed;
    }
  }
  throw new AppError('CONFLICT', 'The incident is being changed by somebody else');
}

/** Copies the lines that the incident carries into its history. What fails here is read from the incident, and copied with its next change. */
async function settle(deps: IncidentWriteDeps, incident: IncidentDoc): Promise<void> {
  deps.events.publish(incidentEvent(incident));
  if (incident.pending_updates.length === 0) return;
  try {
    for (const line of incident.pending_updates) await deps.updates.insertIfAbsent(line);
    await deps.incidents.forgetPending(incident);
  } catch (error) {
    deps.log.warn({ err: error, incident_id: incident._id }, 'the history of an incident waits in the incident');
  }
}

async function knownMonitor(deps: IncidentWriteDeps, ctx: ProjectContext, input: IncidentInput) {
  const ids = [...new Set([...(input.check_id === undefined ? [] : [input.check_id]), ...input.affected_monitor_ids])];
  const known = ids.length > 0 ? await deps.monitors.known(ctx.tenant, ids) : new Map<string, never>();
  const unknown = input.affected_monitor_ids.findIndex((id) => !known.has(id));
  if (unknown !== -1) throw fieldError(`affected_monitor_ids.${unknown}`, 'Monitor not found in this project');
  if (input.check_id === undefined) return null;
  const monitor = known.get(input.check_id);
  if (!monitor) throw fieldError('check_id', 'Monitor not found in this project');
  return monitor;
}

async function assigneeOf(deps: IncidentWriteDeps, ctx: ProjectContext, assigneeId: string | undefined): Promise<{ id: string | null; name: string }> {
  const { actor } = ctx;
  if (assigneeId === undefined) return { id: actor.kind === 'session' ? actor.userId : null, name: actor.name };
  const person = await deps.people.assignee(ctx.tenant, assigneeId);
  if (!person) throw fieldError('assignee_id', 'Must be a member of the organization who has access to the project');
  return person;
}

function updateActor({ actor }: ProjectContext): UpdateActor {
  return actor.kind === 'session' ? { type: 'user', id: actor.userId, name: actor.name } : { type: 'api_key', id: actor.keyId, name: actor.name };
}

function refuse(refusal: string | null): void {
  if (refusal !== null) throw new AppError('VALIDATION_ERROR', refusal);
}
