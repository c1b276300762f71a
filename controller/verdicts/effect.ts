import type { MonitorConfig, Severity } from './monitor-config.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';

/** An incident opened or closed by the state machine. `id` is derived, so that a second call changes nothing. */
export interface IncidentOpening {
  id: string;
  monitor: MonitorConfig;
  severity: Severity;
  type: ErrorType;
  error_message: string;
  affected_regions: string[];
  failure_count: number;
  started_at: number;
  /** Results that came too late to alert anybody showed it; it is resolved at once. */
  late?: true;
}

export interface IncidentResolution {
  id: string;
  monitor: MonitorConfig;
  resolved_at: number;
  failure_count: number;
}

export type AlertEvent = 'monitor.down' | 'monitor.up' | 'monitor.slow_response' | 'monitor.slow_response_resolved' | 'monitor.ssl_expiring' | 'monitor.domain_expiring';

/** Something to tell. `id` is derived from (monitor, journal number, index). */
export interface Alert {
  id: string;
  event: AlertEvent;
  monitor: MonitorConfig;
  incident: { id: string; started_at: number; resolved_at: number | null } | null;
  error: { type: ErrorType; message: string } | null;
  regions: string[];
  /** The last good check so far, Unix ms; `response_time_ms` null where it is not known. Absent of what is about no check. */
  last_success?: { at: number; response_time_ms: number | null } | null;
  /** When it happened, Unix ms. */
  at: number;
  /** Of a certificate or a registration that expires: when (Unix ms), and in how many days at most. */
  expiry?: { expires_at: number; days: number };
  /** It goes down too often to tell each time: so many times in `window_ms`; what follows is held until it is steady. */
  flapping?: { downs: number; window_ms: number };
}
