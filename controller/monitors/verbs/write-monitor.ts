import type { MonitorType } from '../../../shared/contracts/check-spec.ts';
import { newId } from '../../../shared/ids.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { authorOf } from '../../http/routing/authorize.ts';
import { fieldError } from '../../http/input/validation.ts';
import { writeWithoutCycle } from '../dependencies/refuse-cycles.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import { type LifecycleStatus, type MonitorDoc, nextStatus, PAUSES_DISABLED, type Transition } from '../monitor.ts';
import type { CreateMonitorInput, UpdateMonitorInput } from '../schema.ts';
import { checkSettings, settable, type Settable } from '../settable.ts';
import type { MonitorChange, NewMonitor } from '../monitor-change.ts';
import type { VariableDoc } from '../variable.ts';
import { keepUsed, variablesFor } from '../variable-texts.ts';
import { leaveDeletedGroups, releaseMonitors } from './change-many.ts';
import { changeMonitor, slugTaken } from './change-monitor.ts';
import { loadMonitor } from './read-monitors.ts';

/**
 * Throws VALIDATION_ERROR, VALIDATION_FAILED (settings of a heartbeat), and with limit and usage
 * INTERVAL_TOO_SHORT, PLAN_LIMIT_EXCEEDED (regions), FAIR_USE_LIMIT_REACHED, MONITOR_LIMIT_REACHED. Also
 * throws SLUG_ALREADY_TAKEN.
 */
export async function createMonitor(deps: MonitorWriteDeps, ctx: ProjectContext, input: CreateMonitorInput) {
  const variables = await variablesFor(deps, ctx, input);
  const settings = settable(input, null, input, deps.minIntervalSeconds, variables);
  await checkSettings(deps, ctx.tenant, settings, null, input.interval_seconds);
  const { organizationId } = ctx.tenant;
  await reserveMonitors(deps, organizationId, 1);
  const id = newId(ctx.now);
  const doc = await deps.monitors.insert(newMonitor(ctx, id, input.type, settings));
  if (doc === null) {
    await releaseMonitors(deps, ctx, 1);
    throw slugTaken();
  }
  await keepUsed(deps, variables, doc.variable_ids);
  deps.notifyOwners([id]);
  if (doc.group_id === null) return doc;
  // The monitor exists even if this fails. Deleted groups are cleared again some minutes later.
  await leaveDeletedGroups(deps, ctx, [doc.group_id]).catch((error: unknown) => {
    const facts = { err: error, organizationId, monitor_id: id };
    deps.log.warn(facts, 'could not recheck the group of a new monitor');
  });
  return doc;
}

export function newMonitor(
  ctx: ProjectContext, id: string, type: MonitorType, settings: Settable, status: LifecycleStatus = 'active',
): NewMonitor {
  const { organizationId: organization_id, projectId: project_id } = ctx.tenant;
  return {
    _id: id, organization_id, project_id, created_by: authorOf(ctx.actor), type, status, deleted_at: null,
    created_at: ctx.now, updated_at: ctx.now, ...settings,
  };
}

/** Throws MONITOR_NOT_FOUND, CONFLICT, and the errors of `createMonitor` except MONITOR_LIMIT_REACHED. */
export async function updateMonitor(
  deps: MonitorWriteDeps, ctx: ProjectContext, id: string, input: UpdateMonitorInput,
): Promise<MonitorDoc> {
  const { depends_on = [] } = input;
  const write = () => writeSettings(deps, ctx, id, input);
  if (depends_on.length === 0) return write();
  const { name } = await loadMonitor(deps, ctx, id);
  return writeWithoutCycle(deps, ctx, [{ monitor_id: id, name, depends_on, path: ['depends_on'] }], write);
}

async function writeSettings(
  deps: MonitorWriteDeps, ctx: ProjectContext, id: string, input: UpdateMonitorInput,
): Promise<MonitorDoc> {
  let variables: VariableDoc[] = [];
  const changed = await changeMonitor(deps, ctx, id, async (seen) => {
    const { type = seen.type } = input;
    if (type !== seen.type) throw fieldError('type', 'Type cannot be changed');
    variables = await variablesFor(deps, ctx, input, seen);
    const settings = settable(input, seen, seen, deps.minIntervalSeconds, variables);
    await checkSettings(deps, ctx.tenant, settings, seen, input.interval_seconds);
    return settings;
  });
  await keepUsed(deps, variables, changed.variable_ids);
  return changed;
}

/** Throws MONITOR_NOT_FOUND, and CONFLICT for pausing a disabled monitor. */
export function setMonitorStatus(
  deps: MonitorWriteDeps, ctx: ProjectContext, id: string, transition: Transition,
): Promise<MonitorDoc> {
  return changeMonitor(deps, ctx, id, (seen): MonitorChange => {
    const status = nextStatus(seen.status, transition);
    if (status === 'refused') throw new AppError('CONFLICT', PAUSES_DISABLED);
    return status === 'same' ? {} : { status };
  });
}

/** Soft delete: incidents can still show the monitor's history. Throws MONITOR_NOT_FOUND. */
export async function deleteMonitor(deps: MonitorWriteDeps, ctx: ProjectContext, id: string): Promise<void> {
  await changeMonitor(deps, ctx, id, () => ({ deleted_at: ctx.now }));
  await releaseMonitors(deps, ctx, 1);
}

/** Reserves `count` monitors or none. Throws MONITOR_LIMIT_REACHED with limit and usage. */
export async function reserveMonitors(
  deps: Pick<MonitorWriteDeps, 'quota'>, organizationId: string, count: number,
): Promise<void> {
  const reservation = await deps.quota.reserve(organizationId, 'monitors', count);
  if (!reservation.isGranted) throw monitorLimitReached(reservation.limit, reservation.usage);
}

export function monitorLimitReached(limit: number, usage: number): AppError {
  const message = `This plan allows ${limit} monitors`;
  return new AppError('MONITOR_LIMIT_REACHED', message, { details: { limit, usage } });
}
