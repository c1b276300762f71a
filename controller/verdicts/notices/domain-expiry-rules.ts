import { DAY_MS } from '../time-accounting/time-accounting-rules.ts';
import type { MonitorItem } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';

/**
 * Warns before a domain expires, once per expiry date and threshold (the nearest one crossed). Opens no
 * incident, because checks still pass. The expiry is part of the configuration, so the rule runs when that
 * changes and hourly.
 */
export function warnOfDomainExpiry(step: MonitorStep, item: MonitorItem): void {
  const { config, domain_warning: last } = step.state;
  if (config.status !== 'active' || (item.kind !== 'config' && item.kind !== 'hour')) return;
  const at = item.kind === 'hour' ? item.until : config.changed_at;
  const { domain_expires_at: expiresAt, domain_warning_days: thresholds } = config;
  if (expiresAt === null) return;
  const crossed = thresholds.filter((days) => expiresAt - at <= days * DAY_MS);
  if (crossed.length === 0) return;
  const days = Math.min(...crossed);
  if (last?.expires_at === expiresAt && last.days <= days) return;
  const expiry = { expires_at: expiresAt, days };
  step.alert('monitor.domain_expiring', { incident: null, error: null, regions: [], at, expiry });
  step.state = { ...step.state, domain_warning: expiry };
}
