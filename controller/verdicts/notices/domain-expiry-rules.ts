import { DAY_MS } from '../time-accounting/time-accounting-rules.ts';
import type { MonitorItem } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';

/**
 * Warns before a domain expires: once per threshold and expiry date. If several thresholds are crossed at
 * once, only the nearest counts. Opens no incident, because nothing is broken yet. The expiry is in the
 * configuration, which no probe writes: it is looked at when that changes and each hour.
 */
export function warnOfDomainExpiry(step: MonitorStep, item: MonitorItem): void {
  const { config, warned } = step.state;
  if (config.status !== 'active' || (item.kind !== 'config' && item.kind !== 'hour')) return;
  const at = item.kind === 'hour' ? item.until : config.changed_at;
  const { domain_expires_at: expiresAt, domain_warning_days: thresholds } = config;
  if (typeof expiresAt !== 'number' || !thresholds) return;
  const crossed = thresholds.filter((days) => expiresAt - at <= days * DAY_MS);
  if (crossed.length === 0) return;
  const days = Math.min(...crossed);
  const last = warned?.domain;
  if (last?.expires_at === expiresAt && last.days <= days) return;
  const expiry = { expires_at: expiresAt, days };
  step.alert('monitor.domain_expiring', { incident: null, error: null, regions: [], at, expiry });
  step.state = { ...step.state, warned: { tls: null, ...warned, domain: expiry } };
}
