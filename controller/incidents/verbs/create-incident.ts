import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { IncidentDeps } from '../deps.ts';
import { incidentFromInput } from '../outbox.ts';
import type { IncidentInput } from '../schema.ts';
import { publishChange } from './change-incident.ts';

const UNKNOWN = 'Monitor not found in this project';

/**
 * Throws VALIDATION_ERROR if title, monitor and source contradict each other or a monitor is not in the
 * project, and INTERNAL_ERROR for a system incident without a monitor (as specified).
 */
export async function createIncident(deps: IncidentDeps, ctx: ProjectContext, input: IncidentInput) {
  refuseContradictions(input);
  const incident = incidentFromInput(input, ctx, await monitorOf(deps, ctx, input));
  await deps.incidents.insert(incident);
  await publishChange(deps, incident);
  return incident;
}

function refuseContradictions({ title, check_id, source }: IncidentInput): void {
  const hasNoMonitor = check_id === undefined;
  const isFault = source === 'system' && hasNoMonitor;
  if (isFault) throw new AppError('INTERNAL_ERROR', 'System incidents must have a check_id');
  if (title !== undefined) return;
  if (source === 'manual') throw contradiction('Manual incidents must have a title', 'title');
  if (hasNoMonitor) throw contradiction('Either check_id or title must be provided', 'check_id', 'title');
}

function contradiction(message: string, ...fields: string[]): AppError {
  const errors = Object.fromEntries(fields.map((field) => [field, message]));
  return new AppError('VALIDATION_ERROR', message, { details: { errors } });
}

async function monitorOf({ monitors }: IncidentDeps, { tenant }: ProjectContext, input: IncidentInput) {
  const { check_id, affected_monitor_ids } = input;
  const ids = [...new Set([...(check_id === undefined ? [] : [check_id]), ...affected_monitor_ids])];
  if (ids.length === 0) return null;
  const found = await monitors.summaries(tenant, ids);
  const unknown = affected_monitor_ids.findIndex((id) => !found.has(id));
  if (unknown !== -1) throw fieldError(`affected_monitor_ids.${unknown}`, UNKNOWN);
  const monitor = check_id === undefined ? null : found.get(check_id);
  if (monitor === undefined) throw fieldError('check_id', UNKNOWN);
  return monitor;
}
