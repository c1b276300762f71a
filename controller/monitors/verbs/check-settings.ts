import type { Tenant } from '../../access/tenant.ts';
import { AppError } from '../../errors/app-error.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { Quota } from '../../plans/quota.ts';
import { MAX_REQUESTS_PER_MINUTE, type MonitorDoc, requestsPerMinute } from '../monitor.ts';
import type { DestinationLookup, GroupLookup, RegionLookup } from '../ports.ts';
import type { Settable } from '../settable.ts';

export interface SettingsDeps {
  quota: Pick<Quota, 'limitsOf'>;
  regions: Pick<RegionLookup, 'unknownRegions'>;
  destinations: DestinationLookup;
  groups: Pick<GroupLookup, 'names'>;
  minIntervalSeconds: number;
}

/**
 * Checks only changed settings, because a monitor may outlive a plan, a region or a destination.
 * `requestedInterval` is undefined if none was sent; plans do not limit the interval of pings, which costs
 * nothing.
 */
export async function checkSettings(
  deps: SettingsDeps, tenant: Tenant, settings: Settable, current: MonitorDoc | null,
  requestedInterval: number | undefined,
): Promise<void> {
  const { timeout_ms: timeoutMs, interval_seconds: interval } = settings;
  if (timeoutMs !== null && timeoutMs > interval * 1000) {
    throw fieldError('timeout_ms', 'Timeout must not be longer than the interval');
  }
  const limits = await deps.quota.limitsOf(tenant.organizationId);
  const [minIntervalSeconds, maxRegions] = [limits.min_interval_seconds, limits.regions_per_monitor];
  const isNewInterval = requestedInterval !== undefined && requestedInterval !== current?.interval_seconds;
  if (isNewInterval && requestedInterval < minIntervalSeconds) {
    const message = `The minimum interval in this plan is ${minIntervalSeconds} seconds`;
    const details = { limit: minIntervalSeconds, usage: requestedInterval };
    throw new AppError('INTERVAL_TOO_SHORT', message, { details });
  }
  checkFairUse(settings, current);
  const regions = added(settings.monitoring_regions, current?.monitoring_regions);
  const usage = settings.monitoring_regions.length;
  if (regions.length > 0 && usage > maxRegions) {
    const message = `This plan allows ${maxRegions} ${maxRegions === 1 ? 'region' : 'regions'} per monitor`;
    throw new AppError('PLAN_LIMIT_EXCEEDED', message, { details: { limit: maxRegions, usage } });
  }
  checkQuorum(settings, current, maxRegions);
  const { group_id: groupId = null } = settings;
  if (groupId !== current?.group_id) await refuseUnknownGroup(deps, tenant, groupId);
  const targets = added(settings.notification_target_ids, current?.notification_target_ids);
  const [unknownRegions, unknownTargets] = await Promise.all([
    regions.length === 0 ? [] : deps.regions.unknownRegions(tenant.organizationId, regions),
    targets.length === 0 ? [] : deps.destinations.unknownDestinations(tenant, targets),
  ]);
  refuseUnknown('monitoring_regions', 'region', unknownRegions);
  refuseUnknown('notification_target_ids', 'destination', unknownTargets);
}

function added(ids: string[], before: string[] = []): string[] {
  return ids.filter((id) => !before.includes(id));
}

function refuseUnknown(path: string, name: string, ids: string[]): void {
  if (ids.length > 0) throw fieldError(path, `Unknown ${name}: ${ids.join(', ')}`);
}

/** Throws VALIDATION_ERROR (`group_id`). */
export async function refuseUnknownGroup(
  deps: Pick<SettingsDeps, 'groups'>, tenant: Tenant, id: string | null,
): Promise<void> {
  if (id === null || (await deps.groups.names(tenant, [id])).has(id)) return;
  throw fieldError('group_id', 'Unknown group');
}

/** With fewer regions than the quorum, the monitor would stay unknown. `maxRegions` is the plan's limit. */
function checkQuorum(settings: Settable, current: MonitorDoc | null, maxRegions: number): void {
  const { confirmation_policy: { regions: quorum }, monitoring_regions: named } = settings;
  if (typeof quorum !== 'number' || quorum <= (named.length > 0 ? named.length : maxRegions)) return;
  const isUnchanged = quorum === current?.confirmation_policy.regions
    && named.join() === current.monitoring_regions.join();
  if (isUnchanged) return;
  const available = named.length > 0 ? `the monitor has ${named.length}` : `this plan allows ${maxRegions} per monitor`;
  throw fieldError('confirmation_policy.regions', `Requires ${quorum} regions, but ${available}`);
}

function checkFairUse(settings: Settable, current: MonitorDoc | null): void {
  const [limit, usage] = [MAX_REQUESTS_PER_MINUTE, requestsPerMinute(settings)];
  if (usage <= limit || (current !== null && usage <= requestsPerMinute(current))) return;
  const message = `A monitor can send at most ${limit} checks a minute across all its regions`;
  throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit, usage } });
}
