import type { CheckResult } from '../../shared/contracts/result.ts';
import { DAY_MS } from './booking-rules.ts';
import type { MonitorItem } from './monitor-state.ts';
import type { MonitorStep } from './monitor-step.ts';

const EVENTS = { tls: 'monitor.ssl_expiring', domain: 'monitor.domain_expiring' } as const;

/** The key under which a result's `detail` holds the domain's expiry, Unix ms. */
const DOMAIN_EXPIRY = 'domain_expires_at';

/**
 * Warns before a certificate or domain expires: once per threshold and expiry date. If several thresholds are
 * crossed at once, only the nearest counts. Opens no incident, because nothing is broken yet.
 */
export function warnOfExpiry(step: MonitorStep, item: MonitorItem): void {
  if (item.kind !== 'result' || item.late || step.state.config.status !== 'active') return;
  warn(step, 'tls', item.result);
  warn(step, 'domain', item.result);
}

function warn(step: MonitorStep, kind: 'tls' | 'domain', { tls, detail, started_at: at }: CheckResult): void {
  const { config, warned } = step.state;
  const expiresAt = kind === 'tls' ? tls?.expires_at : detail?.[DOMAIN_EXPIRY];
  const thresholds = kind === 'tls' ? config.tls_warning_days : config.domain_warning_days;
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
