import type { CheckResult, ErrorType } from '../../shared/contracts/result.ts';
import type { Alert, IncidentOpening, IncidentResolution } from './effect.ts';
import type { MonitorConfig, RuntimeStatus, Severity } from './monitor-config.ts';

export type RegionVerdict = 'up' | 'down' | 'unknown';

/** One region's view of a monitor. Instants are Unix ms. */
export interface RegionState {
  verdict: RegionVerdict;
  degraded: boolean;
  /** Slow successes in a row; absent in states of earlier versions. */
  slows?: number;
  /** Failed results in a row. */
  fails: number;
  first_fail_at: number | null;
  /** When the latest result that counted was started. */
  last_at: number | null;
  response_time_ms: number | null;
  status_code: number | null;
  error: { type: ErrorType; message: string } | null;
  probe_id: string | null;
  /** Why the region is unknown: `silent`, or the reason of missed slots. */
  reason: string | null;
  /** The failure that confirmed its outage, while that lasts; absent in states of earlier versions. */
  down_at?: number;
  /** Its latest outages that are over while some region has not been heard past their ends, in order; absent without any. */
  ended?: RegionOutage[];
}

/** A region was down by its own word: from the failure that confirmed it to before a success. */
export interface RegionOutage {
  from: number;
  until: number;
  first_fail_at: number;
  fails: number;
  error: { type: ErrorType; message: string } | null;
}

/** From the first failed check to recovery, whatever people do to its incident. */
export interface Outage {
  incident_id: string;
  started_at: number;
  failure_count: number;
  type: ErrorType;
  message: string;
  severity: Severity;
}

/** How often a monitor has gone down lately, and what it was not told of while that was too often. */
export interface Flaps {
  /** The latest starts of outages, Unix ms, oldest first. */
  downs: number[];
  /** Alerts are held; what ended last meanwhile, null while it is down. */
  held: { ended: Pick<Alert, 'incident' | 'error' | 'at'> | null } | null;
}

/** The last expiry that was warned of: the instant (Unix ms), and with how many days left at most. */
export interface ExpiryWarning {
  expires_at: number;
  days: number;
}

/** From an instant to before another, Unix ms. */
export type Stretch = [from: number, until: number];

/** What a probe's late results say so far, in their order: `fails` in a row since `first_fail_at`. */
export interface LateRun {
  region: string;
  fails: number;
  first_fail_at: number;
  last_at: number;
  error: { type: ErrorType; message: string } | null;
}

/** An outage that late results of one region show. */
export interface LateOutage {
  region: string;
  from: number;
  until: number;
  fails: number;
  error: { type: ErrorType; message: string } | null;
}

/** What late results are held against: time that nobody watched, each probe's run, outages that wait for more. */
export interface LateHistory {
  /** In order, without overlap. */
  gaps: Stretch[];
  /** By probe. */
  runs: Record<string, LateRun>;
  found: LateOutage[];
}

/** Milliseconds watched in an hour, by status: up, degraded, down. The rest of the hour was not watched or paused. */
export type HourTimes = [up: number, degraded: number, down: number];

/** All that the rules know of a monitor. */
export interface MonitorState {
  config: MonitorConfig;
  status: RuntimeStatus;
  since: number;
  regions: Record<string, RegionState>;
  outage: Outage | null;
  last_check_at: number | null;
  last_success_at: number | null;
  /** How long that success took, ms; absent in states of older versions. */
  last_success_ms?: number | null;
  last_failure_at: number | null;
  /** Time is booked up to here. */
  booked_until: number;
  /** Booked times of hours that have no rollup yet, by the hour's start. */
  booked: Record<number, HourTimes>;
  /** Latest day (its start) that has hours in rollups and no rollup of its own yet. */
  unrolled_day: number | null;
  /** The slow stretch that was told of. */
  slow: Outage | null;
  /** Null while it has not gone down lately. */
  flaps: Flaps | null;
  warned: { tls: ExpiryWarning | null; domain: ExpiryWarning | null } | null;
  /** Null while there was neither a time without watch nor a late result. */
  late: LateHistory | null;
  /** Of heartbeats only. */
  heartbeat?: HeartbeatState;
}

/** What is known of a heartbeat's pings. Instants are Unix ms. */
export interface HeartbeatState {
  /** The latest ping that told how a job ended. */
  last_at: number | null;
  /** The latest start of a job that has not ended yet. */
  started_at: number | null;
  /** When the next ping is overdue. */
  deadline: number;
  /** No ping moves the deadline before this: where the wait began anew. */
  not_before: number;
}

/** A ping as the journal has it. */
export interface JournaledPing {
  id: string;
  monitor_id: string;
  kind: 'success' | 'start' | 'fail';
  /** Null when none was given. */
  exit_code: number | null;
  /** When it was received, Unix ms. */
  at: number;
  /** From the start to the end of the job, ms; null when the start was not told. */
  run_ms: number | null;
}

/** What a journal entry can hold for one monitor. `late`: taken too long after it started to move a verdict. */
export type MonitorItem =
  | { kind: 'result'; region: string; probe_id: string; result: CheckResult; late: boolean }
  | { kind: 'config'; config: MonitorConfig }
  | { kind: 'silent'; region: string; at: number }
  | { kind: 'ping'; ping: JournaledPing }
  | { kind: 'overdue'; at: number }
  | { kind: 'unwatched'; from: number; until: number }
  | { kind: 'hour'; until: number };

/** Where an item stands: `n` of its journal entry and the number of effects that this entry has had for this monitor. */
export interface ItemPlace {
  n: number;
  index: number;
}

/** A line of the monitor's status history. */
export interface StatusChange {
  id: string;
  monitor_id: string;
  organization_id: string;
  project_id: string;
  from: RuntimeStatus;
  to: RuntimeStatus;
  at: number;
  reason: string;
  incident_id: string | null;
}

/** What a decision wants done, in order; each is carried out at least once and has its effect once. */
export type MonitorEffect =
  | { kind: 'status'; change: StatusChange }
  | { kind: 'open'; opening: IncidentOpening }
  | { kind: 'resolve'; resolution: IncidentResolution }
  | { kind: 'alert'; alert: Alert };

export interface MonitorStep {
  state: MonitorState;
  effects: MonitorEffect[];
}
