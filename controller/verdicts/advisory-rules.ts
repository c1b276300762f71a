import { DAY_MS } from './booking-rules.ts';
import type { MonitorItem } from './monitor-state.ts';
import type { MonitorStep } from './monitor-step.ts';

const EVENTS = { tls: 'monitor.ssl_expiring', domain: 'monitor.domain_expiring' } as const;

/** An expiry and the instant at which it is looked at, Unix ms. */
interface Expiry {
  expiresAt: number | null | undefined;
  thresholds: number[] | undefined;
  at: number;
}

/**
 * Warns before a certificate or domain expires: once per threshold and expiry date. If several thresholds are
 * crossed at once, only the nearest counts. Opens no incident, because nothing is broken yet. Certificates
 * are in results. The expiry of a domain is in the configuration, which no probe writes: it is looked at when
 * that changes and each hour.
 */
export function warnOfExpiry(step: MonitorStep, item: MonitorItem): void {
  const { config } = step.state;
  if (config.status !== 'active') return;
  if (item.kind === 'result') {
    if (item.late) return;
    const { tls, started_at: at } = item.result;
    warn(step, 'tls', { expiresAt: tls?.expires_at, thresholds: config.tls_warning_days, at });
  } else if (item.kind === 'config' || item.kind === 'hour') {
    const at = item.kind === 'hour' ? item.until : config.changed_at;
    warn(step, 'domain', { expiresAt: config.domain_expires_at, thresholds: config.domain_warning_days, at });
  }
}

function warn(step: MonitorStep, kind: 'tls' | 'domain', { expiresAt, thresholds, at }: Expiry): void {
  const { warned } = step.state;
  if (typeof expiresAt !== 'number' || !thresholds) return;
  const crossed = thresholds.filter((days) => expiresAt - at <= days * DAY_MS);
  if (crossed.length === 0) return;
  const days = Math.min(...crossed);
  const last = warned?.[kind];
  if (last?.expires_at === expiresAt && last.days <= days) return;
  const expiry = { expires_at: expiresAt, days };
  step.alert(EVENTS[kind], { incident: null, error: null, regions: [], at, expiry });
  step.state = { ...step.state, warned: { tls: null, domain: null, ...warned, [kind]: expiry } };
}
