import { fieldError } from '../http/validation.ts';
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

const DOMAIN_DEFAULTS = { expiry_warning_days: [30, 14, 7, 1] };
const SSL_DEFAULTS = { check_expiry: true, check_validity: true, ...DOMAIN_DEFAULTS };

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
    ssl_monitoring: warnings('ssl_monitoring', input.ssl_monitoring, current?.ssl_monitoring ?? null, SSL_DEFAULTS),
    domain_monitoring: warnings('domain_monitoring', input.domain_monitoring, current?.domain_monitoring ?? null, DOMAIN_DEFAULTS),
    confirmation_policy: { ...(current?.confirmation_policy ?? DEFAULT_POLICY), ...input.confirmation_policy },
  };
}

/** What was given of these warnings over the `current` ones, or over the defaults. Null: none. Throws VALIDATION_ERROR. */
function warnings<W extends object>(
  path: string, given: ({ enabled?: boolean | undefined } & object) | null | undefined, current: (W & { enabled: boolean }) | null, defaults: W,
): (W & { enabled: boolean }) | null {
  if (given === undefined) return current;
  if (given === null) return null;
  const enabled = given.enabled ?? current?.enabled;
  if (enabled === undefined) throw fieldError(`${path}.enabled`, 'Required', 'invalid_type');
  return { ...defaults, ...current, ...given, enabled };
}
