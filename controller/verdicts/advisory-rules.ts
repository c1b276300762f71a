import { derivedId } from '../../shared/ids.ts';
import type { AlertEvent } from './effect.ts';
import type { ExpiryWarning, ItemPlace, MonitorEffect, MonitorItem, MonitorState, MonitorStep } from './monitor-state.ts';

const DAY_MS = 86_400_000;

/** Name under which a result's `detail` carries the expiry of the domain's registration, Unix ms. */
export const DOMAIN_EXPIRY = 'domain_expires_at';

/**
 * Warns of a certificate or a registration that expires soon: once for each of the monitor's thresholds that is crossed,
 * the nearest one when several are crossed at once, and anew for another expiry date. No incident: nothing is wrong yet.
 */
export function tellExpiry(step: MonitorStep, item: MonitorItem, place: ItemPlace): MonitorStep {
  if (item.kind !== 'result' || item.late || step.state.config.status !== 'active') return step;
  const { tls_warning_days: tlsDays = [], domain_warning_days: domainDays = [] } = step.state.config;
  if (tlsDays.length === 0 && domainDays.length === 0) return step;
  const { tls, detail, started_at: at } = item.result;
  const domainExpiry = detail?.[DOMAIN_EXPIRY];
  const withTls = warn(step, 'tls', { expiresAt: tls?.expires_at ?? null, days: tlsDays, at }, place);
  return warn(withTls, 'domain', { expiresAt: typeof domainExpiry === 'number' ? domainExpiry : null, days: domainDays, at }, place);
}

const EVENTS: Record<'tls' | 'domain', AlertEvent> = { tls: 'monitor.ssl_expiring', domain: 'monitor.domain_expiring' };

interface Expiry {
  expiresAt: number | null;
  days: number[];
  at: number;
}

function warn(step: MonitorStep, kind: 'tls' | 'domain', { expiresAt, days, at }: Expiry, place: ItemPlace): MonitorStep {
  if (expiresAt === null) return step;
  const { state, effects } = step;
  const crossed = days.filter((threshold) => expiresAt - at <= threshold * DAY_MS);
  if (crossed.length === 0) return step;
  const nearest = Math.min(...crossed);
  const last = state.warned?.[kind] ?? null;
  if (last !== null && last.expires_at === expiresAt && last.days <= nearest) return step;
  const warning: ExpiryWarning = { expires_at: expiresAt, days: nearest };
  const warned = { tls: null, domain: null, ...state.warned, [kind]: warning };
  const told = advisory(state, EVENTS[kind], warning, at, { n: place.n, index: place.index + effects.length });
  return { state: { ...state, warned }, effects: [...effects, told] };
}

function advisory(state: MonitorState, event: AlertEvent, expiry: ExpiryWarning, at: number, place: ItemPlace): MonitorEffect {
  return {
    kind: 'alert',
    alert: {
      id: derivedId(state.config.monitor_id, place.n, place.index, event), event, monitor: state.config, incident: null, error: null,
      regions: [], at, expiry: { expires_at: expiry.expires_at, days: expiry.days },
    },
  };
}
