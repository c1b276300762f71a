import { AppError } from '../../../shared/errors.ts';
import { newId, shardOf } from '../../../shared/ids.ts';
import type { RequestContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import { shortestInterval } from '../../plans/rules.ts';
import type { MonitorDeps } from '../deps.ts';
import { DEFAULT_POLICY, nextStatus, storedTimeout, type Transition } from '../rules.ts';
import { refuseForeignFields, type CreateMonitorInput, type UpdateMonitorInput } from '../schema.ts';
import { NO_SETTINGS, type TypeSettings } from '../settings/check-type.ts';
import { CHECK_TYPES } from '../settings/registry.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { MonitorChange } from '../store.ts';
import { changeMonitor } from './change-monitor.ts';

type Settable = TypeSettings & Pick<
  MonitorDoc,
  | 'name' | 'target' | 'interval_seconds' | 'timeout_ms' | 'tags' | 'monitoring_regions' | 'notification_target_ids' | 'group_id'
  | 'ssl_monitoring' | 'domain_monitoring' | 'confirmation_policy'
>;

/**
 * Throws VALIDATION_ERROR, INTERVAL_TOO_SHORT, PLAN_LIMIT_EXCEEDED (regions) and MONITOR_LIMIT_REACHED, the last three with
 * limit and usage.
 */
export async function createMonitor(deps: MonitorDeps, ctx: RequestContext, input: CreateMonitorInput): Promise<MonitorDoc> {
  const settings = settable(input, null, input, deps.minIntervalSeconds);
  await checkSettings(deps, ctx, settings, null, input.interval_seconds);
  const { organizationId, projectId } = ctx.tenant;
  const reservation = await deps.quota.reserve(organizationId, 'monitors');
  if (!reservation.isGranted) {
    const { limit, usage } = reservation;
    throw new AppError('MONITOR_LIMIT_REACHED', `This plan allows ${limit} monitors`, { details: { limit, usage } });
  }
  const id = newId(ctx.now);
  const doc = await deps.monitors.insert({
    _id: id, organization_id: organizationId, project_id: projectId, created_by: authorOf(ctx), type: input.type, ...settings,
    status: 'active', deleted_at: null, created_at: ctx.now, updated_at: ctx.now,
  });
  deps.poke(shardOf(id));
  return doc;
}

/** Throws VALIDATION_ERROR (a change of type too), INTERVAL_TOO_SHORT, PLAN_LIMIT_EXCEEDED, MONITOR_NOT_FOUND, CONFLICT. */
export function updateMonitor(deps: MonitorDeps, ctx: RequestContext, id: string, input: UpdateMonitorInput): Promise<MonitorDoc> {
  return changeMonitor(deps, ctx, id, async (seen) => {
    if (input.type !== undefined && input.type !== seen.type) throw fieldError('type', 'Type cannot be changed');
    const settings = settable(input, seen, seen, deps.minIntervalSeconds);
    await checkSettings(deps, ctx, settings, seen, input.interval_seconds);
    return settings;
  });
}

/** Changes nothing where the monitor already is what is asked for. Throws MONITOR_NOT_FOUND, CONFLICT when a disabled one is paused. */
export function setMonitorStatus(deps: MonitorDeps, ctx: RequestContext, id: string, transition: Transition): Promise<MonitorDoc> {
  return changeMonitor(deps, ctx, id, (seen): MonitorChange => {
    const status = nextStatus(seen.status, transition);
    if (status === 'refused') throw new AppError('CONFLICT', 'A disabled monitor cannot be paused; resume it first');
    return status === 'same' ? {} : { status };
  });
}

/** Soft: its history stays readable through its incidents. Throws MONITOR_NOT_FOUND. */
export async function deleteMonitor(deps: MonitorDeps, ctx: RequestContext, id: string): Promise<void> {
  await changeMonitor(deps, ctx, id, () => ({ deleted_at: ctx.now }));
  // The monitor is gone whether or not the counter hears of it; one left too high is set right when it next matters.
  await deps.quota.release(ctx.tenant.organizationId, 'monitors').catch((error: unknown) => {
    deps.log.warn({ err: error, organizationId: ctx.tenant.organizationId }, 'monitor count could not be lowered');
  });
}

/** What was given over what `current` has, or over the defaults of a new monitor. Throws VALIDATION_ERROR, VALIDATION_FAILED. */
function settable(
  input: UpdateMonitorInput, current: MonitorDoc | null, required: Pick<CreateMonitorInput, 'name' | 'type' | 'interval_seconds'>, minIntervalSeconds: number,
): Settable {
  refuseForeignFields(required.type, input);
  const own = CHECK_TYPES[required.type].resolve(input, current, minIntervalSeconds);
  return {
    ...NO_SETTINGS,
    interval_seconds: input.interval_seconds ?? required.interval_seconds ?? 0,
    ...own,
    name: input.name ?? required.name,
    timeout_ms: storedTimeout(input.timeout_ms, current),
    group_id: input.group_id === undefined ? (current?.group_id ?? null) : input.group_id,
    tags: input.tags ?? current?.tags ?? [],
    monitoring_regions: input.monitoring_regions ?? current?.monitoring_regions ?? [],
    notification_target_ids: input.notification_target_ids ?? current?.notification_target_ids ?? [],
    ssl_monitoring: input.ssl_monitoring === undefined ? (current?.ssl_monitoring ?? null) : input.ssl_monitoring,
    domain_monitoring: input.domain_monitoring === undefined ? (current?.domain_monitoring ?? null) : input.domain_monitoring,
    confirmation_policy: { ...(current?.confirmation_policy ?? DEFAULT_POLICY), ...input.confirmation_policy },
  };
}

/** Only what changes is held against the plan and against what exists: a monitor may outlive a plan, a region or a destination. */
async function checkSettings(
  deps: MonitorDeps, ctx: RequestContext, settings: Settable, current: MonitorDoc | null, askedInterval: number | undefined,
): Promise<void> {
  if (settings.timeout_ms !== null && settings.timeout_ms > settings.interval_seconds * 1000) {
    throw fieldError('timeout_ms', 'Timeout must not be longer than the interval');
  }
  const { organizationId } = ctx.tenant;
  const limits = await deps.quota.limitsOf(organizationId);
  const shortest = shortestInterval(limits, deps.minIntervalSeconds);
  if (askedInterval !== undefined && askedInterval !== current?.interval_seconds && askedInterval < shortest) {
    throw new AppError('INTERVAL_TOO_SHORT', `This plan's shortest interval is ${shortest} seconds`, {
      details: { limit: shortest, usage: askedInterval },
    });
  }
  const regions = settings.monitoring_regions.filter((id) => !(current?.monitoring_regions.includes(id) ?? false));
  if (regions.length > 0 && settings.monitoring_regions.length > limits.regions_per_monitor) {
    throw new AppError('PLAN_LIMIT_EXCEEDED', `This plan allows ${limits.regions_per_monitor} regions per monitor`, {
      details: { limit: limits.regions_per_monitor, usage: settings.monitoring_regions.length },
    });
  }
  const targets = settings.notification_target_ids.filter((id) => !(current?.notification_target_ids.includes(id) ?? false));
  await checkGroup(deps, ctx, settings.group_id, current);
  const [unknownRegions, unknownTargets] = await Promise.all([
    regions.length === 0 ? [] : deps.regions.unknownRegions(organizationId, regions),
    targets.length === 0 ? [] : deps.destinations.unknownDestinations(ctx.tenant, targets),
  ]);
  if (unknownRegions.length > 0) throw fieldError('monitoring_regions', `Unknown region: ${unknownRegions.join(', ')}`);
  if (unknownTargets.length > 0) throw fieldError('notification_target_ids', `Unknown destination: ${unknownTargets.join(', ')}`);
}

async function checkGroup(deps: MonitorDeps, ctx: RequestContext, groupId: string | null | undefined, current: MonitorDoc | null): Promise<void> {
  if (typeof groupId !== 'string' || groupId === current?.group_id) return;
  if (!(await deps.groups.names(ctx.tenant, [groupId])).has(groupId)) throw fieldError('group_id', 'Unknown group');
}

function authorOf(ctx: RequestContext): string {
  return ctx.actor.kind === 'session' ? ctx.actor.userId : ctx.actor.createdBy;
}
