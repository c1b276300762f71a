import { AppError } from '../../../shared/errors.ts';
import type { ProjectContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import type { IncidentDeps } from '../deps.ts';
import type { IncidentDoc } from '../incident.ts';
import { createdIncident, creationRefusal } from '../new-incident.ts';
import type { IncidentInput } from '../schema.ts';
import { settle, updateActor } from './change-incident.ts';

const NOT_FOUND = 'Monitor not found in this project';

/**
 * An open incident. Throws VALIDATION_ERROR when title, monitor and source contradict each other or a monitor
 * is not in the project, INTERNAL_ERROR for a system incident without a monitor (so the specification).
 */
export async function createIncident(
  deps: IncidentDeps, ctx: ProjectContext, input: IncidentInput,
): Promise<IncidentDoc> {
  const refusal = creationRefusal(input);
  if (refusal?.isFault) throw new AppError('INTERNAL_ERROR', refusal.message);
  if (refusal) {
    const errors = Object.fromEntries(refusal.fields.map((field) => [field, refusal.message]));
    throw new AppError('VALIDATION_ERROR', refusal.message, { details: { errors } });
  }
  const { actor, tenant, now } = ctx;
  const monitor = await monitorOf(deps, ctx, input);
  const createdBy = actor.kind === 'session' ? actor.userId : actor.createdBy;
  const doc = createdIncident(input, { tenant, createdBy, actor: updateActor(ctx), monitor, now });
  await deps.incidents.insert(doc);
  await settle(deps, doc);
  return doc;
}

async function monitorOf({ monitors }: IncidentDeps, { tenant }: ProjectContext, input: IncidentInput) {
  const { check_id, affected_monitor_ids } = input;
  const ids = [...new Set([...(check_id === undefined ? [] : [check_id]), ...affected_monitor_ids])];
  if (ids.length === 0) return null;
  const known = await monitors.known(tenant, ids);
  const unknown = affected_monitor_ids.findIndex((id) => !known.has(id));
  if (unknown !== -1) throw fieldError(`affected_monitor_ids.${unknown}`, NOT_FOUND);
  if (check_id === undefined) return null;
  const monitor = known.get(check_id);
  if (!monitor) throw fieldError('check_id', NOT_FOUND);
  return monitor;
}
