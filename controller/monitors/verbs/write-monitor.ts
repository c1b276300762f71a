import { AppError } from '../../../shared/errors.ts';
import { newId, shardOf } from '../../../shared/ids.ts';
import type { RequestContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import { nextStatus, PAUSES_DISABLED, type Transition } from '../rules.ts';
import type { CreateMonitorInput, UpdateMonitorInput } from '../schema.ts';
import { settable } from '../settable.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { MonitorChange } from '../store.ts';
import { leaveDeleted } from './change-many.ts';
import { changeMonitor } from './change-monitor.ts';
import { checkSettings } from './check-settings.ts';

/**
 * Throws VALIDATION_ERROR, VALIDATION_FAILED (a heartbeat's settings), and with limit and usage INTERVAL_TOO_SHORT,
 * PLAN_LIMIT_EXCEEDED (regions), FAIR_USE_LIMIT_REACHED, MONITOR_LIMIT_REACHED.
 */
export async function createMonitor(deps: MonitorWriteDeps, ctx: RequestContext, input: CreateMonitorInput): Promise<MonitorDoc> {
  const settings = settable(input, null, input, deps.minIntervalSeconds);
  await checkSettings(deps, ctx, settings, null, input.interval_seconds);
  const { organizationId, projectId } = ctx.tenant;
  await reserveMonitors(deps, organizationId, 1);
  const id = newId(ctx.now);
  const doc = await deps.monitors.insert({
    _id: id, organization_id: organizationId, project_id: projectId, created_by: authorOf(ctx), type: input.type, ...settings,
    status: 'active', deleted_at: null, created_at: ctx.now, updated_at: ctx.now,
  });
  deps.poke(shardOf(id));
  // The monitor is there whether or not this succeeds; a group that was deleted is cleared once more some minutes later.
  await leaveDeleted(deps, ctx, [doc.group_id]).catch((error: unknown) => {
    deps.log.warn({ err: error, organizationId, monitor_id: id }, 'the group of a new monitor could not be looked at again');
  });
  return doc;
}

/** Throws what `createMonitor` does but for the number of monitors, and MONITOR_NOT_FOUND, CONFLICT. */
export function updateMonitor(deps: MonitorWriteDeps, ctx: RequestContext, id: string, input: UpdateMonitorInput): Promise<MonitorDoc> {
  return changeMonitor(deps, ctx, id, async (seen) => {
    if (input.type !== undefined && input.type !== seen.type) throw fieldError('type', 'Type cannot be changed');
    const settings = settable(input, seen, seen, deps.minIntervalSeconds);
    await checkSettings(deps, ctx, settings, seen, input.interval_seconds);
    return settings;
  });
}

/** Changes nothing where the monitor already is what is asked for. Throws MONITOR_NOT_FOUND, CONFLICT when a disabled one is paused. */
export function setMonitorStatus(deps: MonitorWriteDeps, ctx: RequestContext, id: string, transition: Transition): Promise<MonitorDoc> {
  return changeMonitor(deps, ctx, id, (seen): MonitorChange => {
    const status = nextStatus(seen.status, transition);
    if (status === 'refused') throw new AppError('CONFLICT', PAUSES_DISABLED);
    return status === 'same' ? {} : { status };
  });
}

/** Soft: its history stays readable through its incidents. Throws MONITOR_NOT_FOUND. */
export async function deleteMonitor(deps: MonitorWriteDeps, ctx: RequestContext, id: string): Promise<void> {
  await changeMonitor(deps, ctx, id, () => ({ deleted_at: ctx.now }));
  // The monitor is gone whether or not the counter hears of it; one left too high is set right when it next matters.
  await deps.quota.release(ctx.tenant.organizationId, 'monitors').catch((error: unknown) => {
    deps.log.warn({ err: error, organizationId: ctx.tenant.organizationId }, 'monitor count could not be lowered');
  });
}

/** Takes that many of the plan, or none. Throws MONITOR_LIMIT_REACHED with limit and usage. */
export async function reserveMonitors(deps: Pick<MonitorWriteDeps, 'quota'>, organizationId: string, count: number): Promise<void> {
  const reservation = await deps.quota.reserve(organizationId, 'monitors', count);
  if (!reservation.isGranted) throw monitorLimitReached(reservation.limit, reservation.usage);
}

export function monitorLimitReached(limit: number, usage: number): AppError {
  return new AppError('MONITOR_LIMIT_REACHED', `This plan allows ${limit} monitors`, { details: { limit, usage } });
}

/** The person who acts, or who made the key that acts. */
export function authorOf(ctx: RequestContext): string {
  return ctx.actor.kind === 'session' ? ctx.actor.userId : ctx.actor.createdBy;
}
