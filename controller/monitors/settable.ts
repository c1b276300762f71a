import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import { fieldError } from '../http/input/validation.ts';
import { timeoutMs, type MonitorDoc } from './monitor.ts';
import type { CreateMonitorInput, UpdateMonitorInput } from './schema.ts';
import { storedIfConcealed } from './settings/sent-settings.ts';
import { CHECK_TYPES, NO_SETTINGS, refuseForeignFields, type TypeSettings } from './settings/registry.ts';

/** All user settings of a monitor except its type and status. */
export type Settable = TypeSettings & Pick<
  MonitorDoc,
  | 'name' | 'target' | 'interval_seconds' | 'timeout_ms' | 'tags' | 'monitoring_regions' | 'group_id'
  | 'notification_target_ids' | 'ssl_monitoring' | 'domain_monitoring' | 'confirmation_policy'
>;

type Required = Pick<CreateMonitorInput, 'name' | 'type' | 'interval_seconds'>;

const DOMAIN_DEFAULTS = { expiry_warning_days: [30, 14, 7, 1] };
const SSL_DEFAULTS = { check_expiry: true, check_validity: true, ...DOMAIN_DEFAULTS };

/**
 * Merges the input into `current`, or into the defaults if null. Throws VALIDATION_ERROR, VALIDATION_FAILED.
 */
export function settable(
  input: UpdateMonitorInput, current: MonitorDoc | null, required: Required, minIntervalSeconds: number,
): Settable {
  refuseForeignFields(required.type, input);
  const policy = current?.confirmation_policy ?? { regions: 'majority', retries: 1 };
  const sent = { ...input, target: sentTarget(input.target, current, required.type) };
  const own = CHECK_TYPES[required.type].resolve(sent, current, minIntervalSeconds);
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
    ssl_monitoring: warnings('ssl_monitoring', input.ssl_monitoring, current?.ssl_monitoring, SSL_DEFAULTS),
    domain_monitoring: warnings(
      'domain_monitoring', input.domain_monitoring, current?.domain_monitoring, DOMAIN_DEFAULTS,
    ),
    confirmation_policy: { ...policy, ...input.confirmation_policy },
  };
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
