import type { CheckError, ErrorType } from '../../shared/contracts/result.ts';
import type { MonitorConfig, Severity } from './monitor-config.ts';
import type { RegionChange, TargetSighting } from './monitor-state.ts';
import type { TlsFlaw } from './notices/certificate-warning-rules.ts';

/**
 * Whether a vote counted. `same_fault_domain`: another region of its network represents both; `unassigned`:
 * the region does not have the monitor; `silent`: it has not reported.
 */
export const VOTE_WEIGHTS = ['counted', 'same_fault_domain', 'unassigned', 'silent', 'quarantined'] as const;

/** One region's vote at the time of a verdict. Unknown fields are absent. */
export interface CastVote {
  region: string;
  vote: 'up' | 'down' | 'none';
  weight: (typeof VOTE_WEIGHTS)[number];
  probe_id?: string;
  /** When its latest check began or a witness responded, Unix ms. */
  at?: number;
  /** Consecutive failed checks; 1 for a success. */
  attempt?: number;
  /** Version of the probe. */
  engine?: string;
  error?: CheckError;
  /** Why it has no vote, or that its failure is not yet confirmed. */
  reason?: string;
}

/** The votes for the start or end of an outage. Its id is derived, so repeated writes have no effect. */
export interface VoteRecord {
  id: string;
  organization_id: string;
  project_id: string;
  monitor_id: string;
  incident_id: string;
  /** When the verdict was reached, Unix ms. */
  at: number;
  verdict: 'down' | 'up';
  policy: { regions: MonitorConfig['quorum']; retries: number };
  votes: CastVote[];
}

/** The regions whose vote counted, and those without a vote. */
export interface VoteSummary {
  down: string[];
  up: string[];
  /** They saw a failure and are rechecking, which does not count against the outage. */
  rechecking: string[];
  silent: string[];
}

/** An incident to open. Its id is derived, so opening it twice has no effect. */
export interface IncidentOpening {
  id: string;
  monitor: MonitorConfig;
  severity: Severity;
  type: ErrorType;
  error_message: string;
  affected_regions: string[];
  failure_count: number;
  started_at: number;
  /** What it may have in common with other incidents; absent if nothing groups it. */
  features?: string[];
  /** Late results revealed the outage. The incident is resolved at once, and nobody is alerted. */
  late?: true;
  /** Set if the outage began or was detected in maintenance: when that ends, Unix ms. */
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

/**
 * A notification to send. Its id is derived from the monitor, the journal entry and the index in the entry.
 */
export interface Alert {
  id: string;
  event: AlertEvent;
  monitor: MonitorConfig;
  incident: { id: string; started_at: number; resolved_at: number | null } | null;
  error: CheckError | null;
  /** The severity of the incident; absent without one. */
  severity?: Severity;
  regions: string[];
  /**
   * The last successful check, Unix ms; its response time is null if unknown. Absent if no check caused the
   * alert.
   */
  last_success?: { at: number; response_time_ms: number | null } | null;
  /** When it happened, Unix ms. */
  at: number;
  /** When a certificate or domain expires (Unix ms), and the threshold it crossed (days). */
  expiry?: { expires_at: number; days: number };
  /** The flaw of a certificate, TLS protocol or key whose checks still pass. */
  problem?: TlsFlaw;
  /** The votes on an outage that several regions could see. Region ids. */
  votes?: VoteSummary;
  /** The outage continues long after a person ended its earlier incident. Never suppressed. */
  reopened?: true;
  /** The number of outages within `window_ms`. Further alerts are held until the monitor is stable. */
  flapping?: { downs: number; window_ms: number };
}

export interface IncidentsPort {
  /** Inserts if absent. */
  open(opening: IncidentOpening): Promise<void>;
  /** Resolves an open or acknowledged incident; no effect otherwise. */
  resolve(resolution: IncidentResolution): Promise<void>;
  /** Emits a region's change and records it in the history of the ongoing incident. */
  regionChanged(change: RegionChange): Promise<void>;
  /** Inserts if absent. */
  recordVotes(record: VoteRecord): Promise<void>;
}

export interface AlertsPort {
  /** Creates one delivery per matching destination, if absent, and triggers the senders. */
  fanOut(alert: Alert): Promise<void>;
}

export interface TargetChangesPort {
  /** Compares a sighting with what was seen before, and stores what has changed. May be repeated. */
  record(sighting: TargetSighting): Promise<void>;
  /** Forgets what was seen of these monitors. */
  forget(monitorIds: string[]): Promise<void>;
}
