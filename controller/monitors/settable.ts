import type { MonitorDoc } from './monitor.ts';
import { DEFAULT_POLICY, storedTimeout } from './rules.ts';
import { refuseForeignFields, type CreateMonitorInput, type UpdateMonitorInput } from './schema.ts';
import { NO_SETTINGS, type TypeSettings } from './settings/check-type.ts';
import { CHECK_TYPES } from './settings/registry.ts';

/** All of a monitor that its users decide. */
export type Settable = TypeSettings & Pick<
  MonitorDoc,
  | 'name' | 'target' | 'interval_seconds' | 'timeout_ms' | 'tags' | 'monitoring_regions' | 'notification_target_ids' | 'group_id'
  | 'ssl_monitoring' | 'domain_monitoring' | 'confirmation_policy'
>;

/** What was given over what `current` has, or over the defaults of a new monitor. Throws VALIDATION_ERROR, VALIDATION_FAILED. */
export function settable(
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
