import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { Tenant } from '../access/tenant.ts';
import { AppError } from '../errors/app-error.ts';
import { fieldError } from '../http/input/validation.ts';
import type { Quota } from '../plans/quota.ts';
import { MAX_REQUESTS_PER_MINUTE, requestsPerMinute, timeoutMs, type MonitorDoc } from './monitor.ts';
import type { DestinationLookup, GroupLookup, RegionLookup } from './ports.ts';
import type { CreateMonitorInput, UpdateMonitorInput } from './schema.ts';
import { storedIfConcealed } from './settings/sent-settings.ts';
import type { MonitorStore } from './store.ts';
import type { VariableDoc } from './variable.ts';
import { variableIdsOf } from './variable-texts.ts';
import { CHECK_TYPES, NO_SETTINGS, refuseForeignFields, type TypeSettings } from './settings/registry.ts';

/** All user settings of a monitor except its type and status. */
export type Settable = TypeSettings & Pick<
  MonitorDoc,
  | 'name' | 'target' | 'interval_seconds' | 'timeout_ms' | 'tags' | 'monitoring_regions' | 'group_id'
  | 'notification_target_ids' | 'ssl_monitoring' | 'domain_monitoring' | 'confirmation_policy'
  | 'is_inverted' | 'runbook_url' | 'alert_severity' | 'depends_on' | 'variable_ids'
>;

type Required = Pick<CreateMonitorInput, 'name' | 'type' | 'interval_seconds'>;

const DOMAIN_DEFAULTS = { expiry_warning_days: [30, 14, 7, 1] };
const SSL_DEFAULTS = { check_expiry: true, check_validity: true, ...DOMAIN_DEFAULTS };

/**
 * Merges the input into `current`, or into the defaults if null. `variables` are those of the project, from
 * `variablesFor`. Throws VALIDATION_ERROR, VALIDATION_FAILED.
 */
export function settable(
  input: UpdateMonitorInput, current: MonitorDoc | null, required: Required, minIntervalSeconds: number,
  variables: readonly VariableDoc[] = [],
): Settable {
  refuseForeignFields(required.type, input);
  const { is_inverted = current?.is_inverted ?? false } = input;
  const { runbook_url = current?.runbook_url ?? null } = input;
  const { alert_severity = current?.alert_severity ?? null } = input;
  if (is_inverted && required.type === 'HEARTBEAT') {
    throw fieldError('is_inverted', 'Does not apply to HEARTBEAT monitors');
  }
  const policy = current?.confirmation_policy ?? { regions: 'majority', retries: 1, recoveries: 0 };
  const sent = { ...input, target: sentTarget(input.target, current, required.type) };
  const own = CHECK_TYPES[required.type].resolve(sent, current, minIntervalSeconds);
  const settings = {
    ...NO_SETTINGS,
    interval_seconds: input.interval_seconds ?? required.interval_seconds ?? 0,
    ...own,
    name: input.name ?? required.name,
    timeout_ms: storedTimeout(input.timeout_ms, current),
    group_id: input.group_id === undefined ? (current?.group_id ?? null) : input.group_id,
    tags: input.tags ?? current?.tags ?? [],
    monitoring_regions: input.monitoring_regions ?? current?.monitoring_regions ?? [],
    notification_target_ids: input.notification_target_ids ?? current?.notification_target_ids ?? [],
    depends_on: input.depends_on ?? current?.depends_on ?? [],
    ssl_monitoring: warnings('ssl_monitoring', input.ssl_monitoring, current?.ssl_monitoring, SSL_DEFAULTS),
    domain_monitoring: warnings(
      'domain_monitoring', input.domain_monitoring, current?.domain_monitoring, DOMAIN_DEFAULTS,
    ),
    confirmation_policy: { ...policy, ...input.confirmation_policy },
    is_inverted, runbook_url, alert_severity,
  };
  const saved = { type: required.type, sent: input, settings, before: current?.variable_ids };
  return { ...variableIdsOf(saved, variables), ...settings };
}

/** Undefined keeps the current target. The target of a heartbeat cannot be set. Throws VALIDATION_ERROR. */
function sentTarget(
  sent: string | undefined, current: MonitorDoc | null, type: MonitorType,
): string | undefined {
  if (sent === undefined || type === 'HEARTBEAT') return undefined;
  return storedIfConcealed(sent, current?.target, ['target']);
}

/** The timeout to store. A value that repeats the current default stays unset, to follow the interval. */
export function storedTimeout(
  sent: number | null | undefined, current: Pick<MonitorDoc, 'timeout_ms' | 'interval_seconds'> | null,
): number | null {
  if (sent === undefined) return current?.timeout_ms ?? null;
  return current?.timeout_ms === null && sent === timeoutMs(current) ? null : sent;
}

interface Enabled {
  enabled: boolean;
}

/** Merges sent warnings into the current ones or the defaults; null for none. Throws VALIDATION_ERROR. */
function warnings<W extends object>(
  path: string, sent: Partial<Enabled> | null | undefined, current: (W & Enabled) | null | undefined,
  defaults: W,
): (W & Enabled) | null {
  if (sent === undefined) return current ?? null;
  if (sent === null) return null;
  const enabled = sent.enabled ?? current?.enabled;
  if (enabled === undefined) throw fieldError(`${path}.enabled`, 'Required', 'invalid_type');
  return { ...defaults, ...current, ...sent, enabled };
}

export interface SettingsDeps {
  quota: Pick<Quota, 'limitsOf'>;
  regions: Pick<RegionLookup, 'unknownRegions'>;
  destinations: DestinationLookup;
  groups: Pick<GroupLookup, 'names'>;
  monitors: Pick<MonitorStore, 'unknownMonitors'>;
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
  const dependencies = added(settings.depends_on, current?.depends_on);
  const [unknownRegions, unknownTargets, unknownMonitors] = await Promise.all([
    regions.length === 0 ? [] : deps.regions.unknownRegions(tenant.organizationId, regions),
    targets.length === 0 ? [] : deps.destinations.unknownDestinations(tenant, targets),
    dependencies.length === 0 ? [] : deps.monitors.unknownMonitors(tenant, dependencies),
  ]);
  refuseUnknown('monitoring_regions', 'region', unknownRegions);
  refuseUnknown('notification_target_ids', 'destination', unknownTargets);
  refuseUnknown('depends_on', 'monitor', unknownMonitors);
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
