import type { CheckError, CheckResult, TlsFacts } from '../../shared/contracts/result.ts';
import type { Alert, IncidentOpening, IncidentResolution } from './effect.ts';
import type { MonitorConfig, RegionStatus, RuntimeStatus, Severity } from './monitor-config.ts';
import type { TlsFlaw } from './notices/tls-flaw-rules.ts';
import type { VoteRecord } from './votes/vote-ledger.ts';

/** One region's view of a monitor. Instants are Unix ms. */
export interface RegionState {
  verdict: 'up' | 'down' | 'unknown';
  degraded: boolean;
  /** Slow successes in a row; earlier versions wrote none. */
  slows?: number;
  /** Failures in a row. */
  fails: number;
  first_fail_at: number | null;
  /** Start of the latest result that counted. */
  last_at: number | null;
  response_time_ms: number | null;
  status_code: number | null;
  error: CheckError | null;
  probe_id: string | null;
  /** Version of that probe; earlier versions wrote none. */
  engine?: string;
  /** Why the region is unknown: `silent`, or why slots were missed. */
  reason: string | null;
  /** The failure that confirmed the present outage; earlier versions wrote none. */
  down_at?: number;
  /** Those who want to know were told that this region is down and the monitor is not. */
  is_alerted?: true;
  /** The latest ended outages, oldest first, as long as some region has not been heard past them. */
  ended?: RegionOutage[];
}

/** An outage as one region saw it: from the failure that confirmed it until the next success. */
export interface RegionOutage extends Failures {
  from: number;
  until: number;
  first_fail_at: number;
}

/** What a region says that does not have the monitor and was asked for its word. */
export interface Witness {
  vote: 'up' | 'down';
  probe_id: string;
  engine: string;
  /** Its fault domain, if it is known. */
  domain?: string;
  error: CheckError | null;
  /** How many checks it made; the last of them is its word. */
  attempt: number;
  /** When its answer came, Unix ms. */
  at: number;
}

interface Failures {
  fails: number;
  error: CheckError | null;
}

/** From the first failed check until recovery, whatever people do with its incident. Also a slow stretch. */
export interface Outage {
  incident_id: string;
  started_at: number;
  failure_count: number;
  type: CheckError['type'];
  message: string;
  severity: Severity;
  /** When a person resolved or closed its incident, Unix ms; absent if nobody has. */
  ended_at?: number;
  /** Its incident opened because the outage went on after a person had ended the one before. */
  reopened?: true;
}

/** Recent outages, and the alert held back while there are too many. */
export interface Flaps {
  /** Starts of the latest outages, Unix ms, oldest first. */
  downs: number[];
  /** Alerts are held; `ended` is the outage that ended last, null while the monitor is down. */
  held: { ended: Pick<Alert, 'incident' | 'error' | 'at'> | null } | null;
}

/** The expiry (Unix ms) that was last warned of, and the threshold that it had crossed (days). */
export interface ExpiryWarning {
  expires_at: number;
  days: number;
}

/** A certificate that some regions meet, by which protocol, and what they think of it. Times are Unix ms. */
export interface SeenCertificate {
  fingerprint256: string;
  protocol: string;
  /** Why it is not valid, as a code. */
  problem: string | null;
  expires_at: number | null;
  flaws: TlsFlaw[];
  /** When each region last sent its facts. */
  regions: Record<string, number>;
}

/** A warning about a certificate. `days` is the threshold that was crossed, null for a flaw. */
export interface CertificateWarning {
  about: string;
  days: number | null;
  /** Unix ms. */
  at: number;
}

/** What is known of the certificates of a monitor's target. */
export interface CertificateState {
  /** No region is in two of them. */
  seen: SeenCertificate[];
  /** The latest warnings, oldest first. */
  warnings: CertificateWarning[];
  /** No warning can be due before this instant (Unix ms); null until something changes. */
  due: number | null;
}

/** A certificate as one region saw it first. */
export interface CertificateSighting {
  monitor_id: string;
  region: string;
  /** Start of the check, Unix ms. */
  seen_at: number;
  facts: TlsFacts;
}

/** From an instant to before another, Unix ms. */
export type TimeRange = [from: number, until: number];

/** What one probe's late results say so far: `fails` failures in a row since `first_fail_at`. */
export interface LateRun extends Failures {
  region: string;
  first_fail_at: number;
  last_at: number;
}

/** An outage that the late results of one region show. */
export interface LateOutage extends Failures {
  region: string;
  from: number;
  until: number;
}

export interface LateHistory {
  /** Time that nobody watched, in order and without overlap. */
  gaps: TimeRange[];
  /** By probe. */
  runs: Record<string, LateRun>;
  /** Outages that wait for other regions, or for their time to be booked. */
  found: LateOutage[];
}

/** Alerts that can wait until maintenance is over. */
export type WithheldEvent = 'monitor.down' | 'monitor.slow_response' | 'monitor.no_data';

/** Alerts of troubles that began in maintenance and last. */
export interface Withheld {
  events: WithheldEvent[];
  /** The latest instant at which they were held, Unix ms. */
  at: number;
}

/** Milliseconds of an hour by status. The rest of the hour was unwatched or paused. */
export type HourTimes = [up: number, degraded: number, down: number];

/** All that the rules know about a monitor. */
export interface MonitorState {
  config: MonitorConfig;
  status: RuntimeStatus;
  /** When the status last changed, Unix ms. */
  since: number;
  regions: Record<string, RegionState>;
  /** By region; only while too few assigned regions report. */
  witnesses: Record<string, Witness> | null;
  /** Too few regions report, nobody else could be asked in time, and those that do are believed. */
  minority_accepted: boolean;
  outage: Outage | null;
  last_check_at: number | null;
  last_success_at: number | null;
  /** Response time of that success, ms; earlier versions wrote none. */
  last_success_ms?: number | null;
  last_failure_at: number | null;
  /** Time is booked up to this instant. */
  accounted_until: number;
  /** Booked times of hours whose rollup is not written yet, by the hour's start. */
  accounted: Record<number, HourTimes>;
  /** What of these times was maintenance, in the same form; null without any. */
  maintained: Record<number, HourTimes> | null;
  /** Start of the latest day that has rollups of hours but none of its own. */
  unrolled_day: number | null;
  /** The slow stretch that was alerted of. */
  slow: Outage | null;
  /** Null if there was no recent outage. */
  flaps: Flaps | null;
  /** `tls` was written by earlier versions. */
  warned: { tls: ExpiryWarning | null; domain: ExpiryWarning | null } | null;
  /** Null until a result carries a certificate. */
  certificate: CertificateState | null;
  /** Since when the monitor is unknown, Unix ms, if people were told so; null if not. */
  no_data_since: number | null;
  /** Since when the status history says that maintenance goes on, Unix ms; null if it does not. */
  maintenance_since: number | null;
  /** Null unless alerts wait for the end of maintenance. */
  withheld: Withheld | null;
  /** Null if all time was watched and no result was late. */
  late: LateHistory | null;
  /** Heartbeat monitors only. */
  heartbeat?: HeartbeatState;
}

/** A heartbeat's pings and its countdown. Instants are Unix ms. */
export interface HeartbeatState {
  /** The latest ping that reported the end of a job. */
  last_at: number | null;
  /** The latest start of a job that has not ended. */
  started_at: number | null;
  /** When the next ping is overdue. */
  deadline: number;
  /** The deadline that the countdown restarted with; pings never move it before this. */
  not_before: number;
}

/** A ping in the journal. */
export interface JournaledPing {
  id: string;
  monitor_id: string;
  kind: 'success' | 'start' | 'fail';
  exit_code: number | null;
  /** When it was received, Unix ms. */
  at: number;
  /** How long the job ran, ms; null if its start was not reported. */
  run_ms: number | null;
}

/** The regions whose probes have a monitor, in order, and those among them that share a network. */
export interface Assigned {
  assigned: string[];
  /** By region, the name of the network. */
  domains: Record<string, string> | null;
}

/** What a journal entry can hold for one monitor. `late`: the result came too late to move a verdict. */
export type MonitorItem =
  | {
    kind: 'result'; region: string; probe_id: string; engine: string; result: CheckResult; late: boolean;
  }
  | { kind: 'config'; config: MonitorConfig }
  | { kind: 'silent'; region: string; at: number; reason?: 'quarantined' | 'no_live_probe' }
  | ({ kind: 'assigned'; at: number } & Assigned)
  | { kind: 'witness'; region: string; check_revision: number; witness: Witness }
  | { kind: 'alone'; at: number }
  | { kind: 'no_data'; at: number }
  | { kind: 'maintenance'; at: number }
  | { kind: 'manual_end'; incident_id: string; at: number }
  | { kind: 'reopen'; at: number }
  | { kind: 'ping'; ping: JournaledPing }
  | { kind: 'overdue'; at: number }
  | { kind: 'unwatched'; from: number; until: number }
  | { kind: 'hour'; until: number };

export type ResultItem = MonitorItem & { kind: 'result' };

/** A line of the monitor's status history. */
export interface StatusChange {
  id: string;
  monitor_id: string;
  organization_id: string;
  project_id: string;
  from: RuntimeStatus;
  /** The same as `from` where maintenance begins or ends. */
  to: RuntimeStatus;
  at: number;
  reason: string;
  incident_id: string | null;
  /** During maintenance from this change on; absent otherwise. */
  in_maintenance?: true;
}

/** A change of what one region says of a monitor. */
export interface RegionChange {
  id: string;
  monitor_id: string;
  organization_id: string;
  project_id: string;
  region: string;
  status: RegionStatus;
  previous_status: RegionStatus;
  /** Unix ms. */
  at: number;
  reason: string | null;
  /** The outage that goes on meanwhile. */
  incident_id: string | null;
}

/** Something to carry out. Every effect is carried out at least once, and repeating it changes nothing. */
export type MonitorEffect =
  | { kind: 'status'; change: StatusChange }
  | { kind: 'open'; opening: IncidentOpening }
  | { kind: 'resolve'; resolution: IncidentResolution }
  | { kind: 'alert'; alert: Alert }
  | { kind: 'certificate'; sighting: CertificateSighting }
  | { kind: 'votes'; record: VoteRecord }
  | { kind: 'region'; change: RegionChange };
