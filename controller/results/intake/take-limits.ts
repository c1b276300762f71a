import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { Assigned, MonitorState } from '../../verdicts/monitor-state.ts';

/** A batch message of the bus. `answer` sends the watermark. */
export interface TakenMessage {
  region: string;
  probe_id: string;
  bytes: Uint8Array;
  acknowledge(watermark: number): void;
  /** What was read of assignments since this message came, for its sake. */
  assignmentHistory?: AssignmentHistory;
}

/** One moment in Unix ms and in monotonic ms. */
export interface Instant {
  wall: number;
  monotonic: number;
}

/**
 * By monitor: when the message's probe lost it, Unix ms; Infinity while it has it; null if it never had it.
 */
export type AssignmentHistory = ReadonlyMap<string, number | null>;

/** Which probe has, or had, which monitor. */
export interface Assignments {
  /**
   * What is known without waiting: as in `Claims`, up to some seconds old; undefined when it has to be read.
   */
  until(probeId: string, monitorId: string): number | undefined;
  /**
   * Reads what the database has of them. Rejects when it gives no answer. Null when nothing is read because
   * the probe has named too many monitors that are not its own.
   */
  read(probeId: string, monitorIds: string[]): Promise<AssignmentHistory> | null;
}

/** What a shard needs to know of organizations, regions and probes to accept their results. */
export interface TakeLimits {
  /** How long an organization keeps its results, ms: an older result is refused as `too_old`. */
  rawRetentionMs(organizationId: string): number;
  /** The longest of these, ms. */
  maxRawRetentionMs: number;
  /** Organization of a private region, null for a shared one; undefined while unknown: its batches wait. */
  regionOwner(region: string): string | null | undefined;
  /** Added to a probe's times, ms: 0 while its clock is right, or not known to be wrong. */
  clockShiftMs(probeId: string): number;
  /** False for a probe in quarantine: what it reports is stored and decides nothing. */
  hasVote(probeId: string): boolean;
  /** Whether a probe of the region is online. */
  hasLiveProbe(region: string): boolean;
  /** Whether a region may have a say in time that has none in the monitor's verdict now. */
  canGetMoreVotes(state: MonitorState): boolean;
  assignments: Assignments;
  /** The regions that have the monitor now; null while they are not known, or if it is a heartbeat. */
  assigned(config: MonitorConfig): Assigned | null;
  /** How long a monitor is unknown, at least, before people are told, ms. */
  noDataAfterMs: number;
}
