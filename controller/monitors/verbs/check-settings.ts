import { AppError } from '../../../shared/errors.ts';
import type { RequestContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import { askedPerMinute, MOST_ASKED_PER_MINUTE } from '../rules.ts';
import type { Settable } from '../settable.ts';

/** What settings are held against. */
export type SettingsDeps = Pick<MonitorWriteDeps, 'regions' | 'destinations' | 'minIntervalSeconds'> & {
  quota: Pick<MonitorWriteDeps['quota'], 'limitsOf'>;
  groups: Pick<MonitorWriteDeps['groups'], 'names'>;
};

/**
 * Only what changes is held against the plan and against what exists: a monitor may outlive a plan, a region or a destination.
 * `askedInterval` is that of checks: waiting for pings costs nothing, so a plan does not limit how often they are to come.
 */
export async function checkSettings(
  deps: SettingsDeps, ctx: Pick<RequestContext, 'tenant'>, settings: Settable, current: MonitorDoc | null, askedInterval: number | undefined,
): Promise<void> {
  if (settings.timeout_ms !== null && settings.timeout_ms > settings.interval_seconds * 1000) {
    throw fieldError('timeout_ms', 'Timeout must not be longer than the interval');
  }
  const { organizationId } = ctx.tenant;
  const limits = await deps.quota.limitsOf(organizationId);
  const shortest = limits.min_interval_seconds;
  if (askedInterval !== undefined && askedInterval !== current?.interval_seconds && askedInterval < shortest) {
    throw new AppError('INTERVAL_TOO_SHORT', `This plan's shortest interval is ${shortest} seconds`, { details: { limit: shortest, usage: askedInterval } });
  }
  checkFairUse(settings, current);
  const regions = settings.monitoring_regions.filter((id) => !(current?.monitoring_regions.includes(id) ?? false));
  if (regions.length > 0 && settings.monitoring_regions.length > limits.regions_per_monitor) {
    throw new AppError('PLAN_LIMIT_EXCEEDED', `This plan allows ${limits.regions_per_monitor} ${limits.regions_per_monitor === 1 ? 'region' : 'regions'} per monitor`, {
      details: { limit: limits.regions_per_monitor, usage: settings.monitoring_regions.length },
    });
  }
  const targets = settings.notification_target_ids.filter((id) => !(current?.notification_target_ids.includes(id) ?? false));
  if (settings.group_id !== current?.group_id) await refuseUnknownGroup(deps, ctx, settings.group_id ?? null);
  const [unknownRegions, unknownTargets] = await Promise.all([
    regions.length === 0 ? [] : deps.regions.unknownRegions(organizationId, regions),
    targets.length === 0 ? [] : deps.destinations.unknownDestinations(ctx.tenant, targets),
  ]);
  if (unknownRegions.length > 0) throw fieldError('monitoring_regions', `Unknown region: ${unknownRegions.join(', ')}`);
  if (unknownTargets.length > 0) throw fieldError('notification_target_ids', `Unknown destination: ${unknownTargets.join(', ')}`);
}

/** Throws VALIDATION_ERROR (`group_id`). */
export async function refuseUnknownGroup(deps: Pick<SettingsDeps, 'groups'>, { tenant }: Pick<RequestContext, 'tenant'>, groupId: string | null): Promise<void> {
  if (groupId !== null && !(await deps.groups.names(tenant, [groupId])).has(groupId)) throw fieldError('group_id', 'Unknown group');
}

function checkFairUse(settings: Settable, current: MonitorDoc | null): void {
  const usage = askedPerMinute(settings);
  if (usage <= MOST_ASKED_PER_MINUTE || (current !== null && usage <= askedPerMinute(current))) return;
  throw new AppError('FAIR_USE_LIMIT_REACHED', `One monitor may ask its target at most ${MOST_ASKED_PER_MINUTE} times a minute, over all its regions`, {
    details: { limit: MOST_ASKED_PER_MINUTE, usage },
  });
}
