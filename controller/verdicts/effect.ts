import type { CheckError, ErrorType } from '../../shared/contracts/result.ts';
import type { MonitorConfig, Severity } from './monitor-config.ts';
import type { RegionChange } from './monitor-state.ts';
import type { TlsFlaw } from './notices/tls-flaw-rules.ts';
import type { VoteRecord, VoteSummary } from './votes/vote-ledger.ts';

/** An incident to open. Its id is derived, so opening it twice changes nothing. */
export interface IncidentOpening {
  id: string;
  monitor: MonitorConfig;
  severity: Severity;
  type: ErrorType;
  error_message: string;
  affected_regions: string[];
  failure_count: number;
  started_at: number;
  /** Late results revealed the outage: the incident is resolved at once and nobody is alerted. */
  late?: true;
  /** It began in maintenance, or was noticed then, which lasts until this instant (Unix ms). */
  maintenance_until?: number;
}

export interface IncidentResolution {
  id: string;
  monitor: MonitorConfig;
  resolved_at: number;
  failure_count: number;
}

export type AlertEvent =
  | 'monitor.down' | 'monitor.up' | 'monitor.slow_response' | 'monitor.slow_response_resolved'
  | 'monitor.ssl_expiring' | 'monitor.domain_expiring' | 'monitor.region_degraded'
  | 'monitor.no_data' | 'monitor.no_data_resolved';

/** A notification to send. Its id is derived from the monitor, the journal entry and the index in it. */
export interface Alert {
  id: string;
  event: AlertEvent;
  monitor: MonitorConfig;
  incident: { id: string; started_at: number; resolved_at: number | null } | null;
  error: CheckError | null;
  regions: string[];
  /** The last successful check, Unix ms; its time is null if unknown. Absent if no check caused the alert. */
  last_success?: { at: number; response_time_ms: number | null } | null;
  /** When it happened, Unix ms. */
  at: number;
  /** When a certificate or domain expires (Unix ms), and the threshold it has crossed (days). */
  expiry?: { expires_at: number; days: number };
  /** What is wrong with a certificate, TLS protocol or key, although checks pass. */
  problem?: TlsFlaw;
  /** Of an outage that several regions could see: what each said. Region ids. */
  votes?: VoteSummary;
  /** The outage has gone on for long since a person ended its earlier incident: alerted in any case. */
  reopened?: true;
  /** The monitor went down this often within `window_ms`; its next alerts are held until it is steady. */
  flapping?: { downs: number; window_ms: number };
}

export interface IncidentsPort {
  /** Inserts if absent. */
  open(opening: IncidentOpening): Promise<void>;
  /** Resolves where still open or acknowledged; else changes nothing. */
  resolve(resolution: IncidentResolution): Promise<void>;
  /** Tells of a region's change, and notes it in the history of the incident that goes on. */
  regionChanged(change: RegionChange): Promise<void>;
  /** Inserts if absent. */
  recordVotes(record: VoteRecord): Promise<void>;
}

export interface AlertsPort {
  /** One delivery for each destination concerned, inserted if absent; wakes the senders. */
  fanOut(alert: Alert): Promise<void>;
}
