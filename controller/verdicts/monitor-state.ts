import type { CheckError, CheckResult, TargetFacts, TlsFacts } from '../../shared/contracts/result.ts';
import type { Alert, IncidentOpening, IncidentResolution, VoteRecord } from './effect.ts';
import type { MonitorConfig, RegionStatus, RuntimeStatus, Severity } from './monitor-config.ts';
import type { TlsFlaw } from './notices/certificate-warning-rules.ts';

/** One region's view of a monitor. Timestamps are Unix ms. */
export interface RegionState {
  verdict: 'up' | 'down' | 'unknown';
  degraded: boolean;
  /** Consecutive slow successes. */
  slows: number;
  /** Consecutive failures. */
  fails: number;
  first_fail_at: number | null;
  /** Start of the latest result that counted. */
  last_at: number | null;
  response_time_ms: number | null;
  status_code: number | null;
  error: CheckError | null;
  probe_id: string | null;
  /** Version of that probe; empty if none has reported. */
  engine: string;
  /** Why the region is unknown: `silent`, or the reason for missed slots. */
  reason: string | null;
  /** The failure that confirmed the current outage; absent without one. */
  down_at?: number;
  /** Set while the region is down and its latest checks succeeded. */
  recovery?: Recovery;
  /** The alert that this region is down, while the monitor is not, was emitted. */
  is_alerted?: true;
  /** The latest ended outages, oldest first, until all regions have reported past them. */
  ended?: RegionOutage[];
}

/** Successes since `since`, the start of the first one (Unix ms). `goods` counts scheduled ones after it. */
export interface Recovery {
  since: number;
  goods: number;
}

/** An outage as seen by one region: from the failure that confirmed it until the next success. */
export interface RegionOutage extends Failures {
  from: number;
  until: number;
  first_fail_at: number;
}

/** The vote of a witness: a region that does not have the monitor. */
export interface Witness {
  vote: 'up' | 'down';
  probe_id: string;
  engine: string;
  /** Its fault domain, if known. */
  domain?: string;
  error: CheckError | null;
  /** The number of checks it made. The last one is its vote. */
  attempt: number;
  /** When its response arrived, Unix ms. */
  at: number;
}

interface Failures {
  fails: number;
  error: CheckError | null;
}

/**
 * From the first failed check until recovery, regardless of manual incident changes. Also used for slow
 * periods.
 */
export interface Outage {
  incident_id: string;
  started_at: number;
  failure_count: number;
  type: CheckError['type'];
  message: string;
  severity: Severity;
  /** When a person resolved or closed its incident, Unix ms; absent otherwise. */
  ended_at?: number;
  /** The latest first success of a region that counts as up again after more of them, Unix ms. */
  recovered_at?: number;
  /** Its incident opened because the outage continued after a person ended the previous one. */
  reopened?: true;
}

/** Recent outages, and the held recovery of a flapping monitor. */
export interface Flaps {
  /** Starts of the latest outages, Unix ms, oldest first. */
  downs: number[];
  /** Set while alerts are held. `ended` is the latest ended outage; null while the monitor is down. */
  held: { ended: Pick<Alert, 'incident' | 'error' | 'at'> | null } | null;
}

/** The latest expiry (Unix ms) with a warning, and the threshold it crossed (days). */
export interface ExpiryWarning {
  expires_at: number;
  days: number;
}

/** A certificate that some regions see, the protocol, and their assessment. Times are Unix ms. */
export interface SeenCertificate {
  fingerprint256: string;
  protocol: string;
  /** Why it is invalid, as a code. */
  problem: string | null;
  expires_at: number | null;
  flaws: TlsFlaw[];
  /** When each region last sent its facts. */
  regions: Record<string, number>;
}

/** A warning about a certificate. `days` is the crossed threshold, null for a flaw. */
export interface CertificateWarning {
  about: string;
  days: number | null;
  /** Unix ms. */
  at: number;
}

/** Certificates of a monitor's target. */
export interface CertificateState {
  /** Each region is in at most one of them. */
  seen: SeenCertificate[];
  /** The latest warnings, oldest first. */
  warnings: CertificateWarning[];
  /** No warning can be due before this time (Unix ms); null until something changes. */
  due: number | null;
}

/** A certificate as one region first saw it. */
export interface CertificateSighting {
  monitor_id: string;
  region: string;
  /** Start of the check, Unix ms. */
  seen_at: number;
  facts: TlsFacts;
}

/** What a check saw of its target, to compare with what was seen before. Absent facts are not new. */
export interface TargetSighting {
  monitor_id: string;
  organization_id: string;
  project_id: string;
  check_revision: number;
  region: string;
  /** Start of the check, Unix ms. */
  seen_at: number;
  /** Increases with each sighting of the monitor, and is the same in a replay. */
  position: number;
  facts?: TargetFacts;
  certificate?: Pick<TlsFacts, 'subject' | 'issuer' | 'expires_at' | 'fingerprint256'>;
}

/** An address of the target, and when its time was last updated (Unix ms). */
export interface SeenAddress {
  address: string;
  at: number;
}

/** What a monitor may have in common with others. A later record of the monitor has a higher position. */
export interface FeatureRecord {
  monitor_id: string;
  organization_id: string;
  /** Empty unless the monitor is active. */
  features: string[];
  position: number;
}

/** Half-open time range, Unix ms. */
export type TimeRange = [from: number, until: number];

/** One probe's late results so far: `fails` consecutive failures since `first_fail_at`. */
export interface LateRun extends Failures {
  region: string;
  first_fail_at: number;
  last_at: number;
}

/** An outage revealed by late results of one region. */
export interface LateOutage extends Failures {
  region: string;
  from: number;
  until: number;
}

export interface LateHistory {
  /** Unmonitored time, in order and without overlap. */
  gaps: TimeRange[];
  /** By probe. */
  runs: Record<string, LateRun>;
  /** Outages that wait for other regions, or for their time to be accounted. */
  found: LateOutage[];
}

/** Alerts that can wait until maintenance ends. */
export type WithheldEvent = 'monitor.down' | 'monitor.slow_response' | 'monitor.no_data';

/** Alerts of ongoing conditions that began in maintenance. */
export interface Withheld {
  events: WithheldEvent[];
  /** When they were last withheld, Unix ms. */
  at: number;
}

/** Milliseconds of an hour by status. The rest of the hour was unmonitored or paused. */
export type HourTimes = [up: number, degraded: number, down: number];

/** The complete state of a monitor in the rules. */
export interface MonitorState {
  config: MonitorConfig;
  status: RuntimeStatus;
  /** When the status last changed, Unix ms. */
  since: number;
  regions: Record<string, RegionState>;
  /** Votes by region, only while too few assigned regions report. */
  witnesses: Record<string, Witness> | null;
  /** True if the verdict of too few regions was accepted because no more votes could be obtained in time. */
  minority_accepted: boolean;
  outage: Outage | null;
  last_check_at: number | null;
  last_success_at: number | null;
  /** Response time of that success, ms. */
  last_success_ms: number | null;
  last_failure_at: number | null;
  /** Time is accounted up to here, Unix ms. */
  accounted_until: number;
  /** Accounted times of hours without a written rollup, by the hour's start. */
  accounted: Record<number, HourTimes>;
  /** The maintenance part of these times, in the same form; null without any. */
  maintained: Record<number, HourTimes> | null;
  /** Start of the latest day with hourly rollups but no daily one. */
  unrolled_day: number | null;
  /** The slow period with an alert. */
  slow: Outage | null;
  /** Null without a recent outage. */
  flaps: Flaps | null;
  /** The latest warning of the domain's expiry; null if there was none. */
  domain_warning: ExpiryWarning | null;
  /** Null until a result carries a certificate. */
  certificate: CertificateState | null;
  /** Addresses that checks connected to in the last hours; null until one did. */
  addresses: SeenAddress[] | null;
  /** Start of the unknown status, Unix ms, if it was alerted; otherwise null. */
  no_data_since: number | null;
  /** Start of the ongoing maintenance in the status history, Unix ms; null without any. */
  maintenance_since: number | null;
  /** Null unless alerts wait for the end of maintenance. */
  withheld: Withheld | null;
  /** Null if there was no unmonitored time and no late result. */
  late: LateHistory | null;
  /** Heartbeat monitors only. */
  heartbeat?: HeartbeatState;
}

/** A heartbeat's pings and its countdown. Timestamps are Unix ms. */
export interface HeartbeatState {
  /** The latest ping that reported the end of a job. */
  last_at: number | null;
  /** Runs that have started and not ended. */
  runs?: Run[];
  /** When the next ping is overdue. */
  deadline: number;
  /** The deadline set when the countdown restarted. Pings never move it earlier. */
  not_before: number;
  /** With a schedule: set if a ping for the due time before `deadline` may have been lost, until then. */
  lost_until?: number;
}

/** A run of a job. Timestamps are Unix ms. */
export interface Run {
  /** The id that the job gave it; null for none. */
  id: string | null;
  /** Its latest start. */
  started_at: number;
  /** When it is overdue; null without a limit, or if its end may have been lost. */
  deadline: number | null;
}

/** A ping in the journal. */
export interface JournaledPing {
  id: string;
  monitor_id: string;
  kind: 'success' | 'start' | 'fail';
  exit_code: number | null;
  /** The run that it is about; null or absent if the job did not name one. */
  run_id?: string | null;
  /** When it was received, Unix ms. */
  at: number;
  /** How long the job ran, ms; null if its start was not reported. */
  run_ms: number | null;
  /** When the ping after it is due by the schedule, Unix ms; null or absent without one. */
  due_at?: number | null;
}

/** The regions whose probes have a monitor, in order, and those that share a network. */
export interface Assigned {
  assigned: string[];
  /** Network names by region. */
  domains: Record<string, string> | null;
}

/** A journal item for one monitor. `late`: the result arrived too late to affect the verdict. */
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
  | { kind: 'due'; at: number }
  | { kind: 'unwatched'; from: number; until: number }
  | { kind: 'hour'; until: number };

export type ResultItem = MonitorItem & { kind: 'result' };

/** An entry of the monitor's status history. */
export interface StatusChange {
  id: string;
  monitor_id: string;
  organization_id: string;
  project_id: string;
  from: RuntimeStatus;
  /** Equals `from` if maintenance begins or ends. */
  to: RuntimeStatus;
  at: number;
  reason: string;
  incident_id: string | null;
  /** Set if the time after this change is in maintenance. */
  in_maintenance?: true;
}

/** A change in one region's view of a monitor. */
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
  /** The incident of the ongoing outage. */
  incident_id: string | null;
}

/** A side effect to carry out at least once. Repeating it has no effect. */
export type MonitorEffect =
  | { kind: 'status'; change: StatusChange }
  | { kind: 'open'; opening: IncidentOpening }
  | { kind: 'resolve'; resolution: IncidentResolution }
  | { kind: 'alert'; alert: Alert }
  | { kind: 'certificate'; sighting: CertificateSighting }
  | { kind: 'sighting'; sighting: TargetSighting }
  | { kind: 'features'; record: FeatureRecord }
  | { kind: 'votes'; record: VoteRecord }
  | { kind: 'region'; change: RegionChange };
