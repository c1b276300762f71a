import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { Assigned, MonitorState } from '../../verdicts/monitor-state.ts';

/** A batch message from the bus. `acknowledge` sends the watermark. */
export interface TakenMessage {
  region: string;
  probe_id: string;
  bytes: Uint8Array;
  acknowledge(watermark: number): void;
  /** Assignments read for this message since it arrived. */
  assignmentHistory?: AssignmentHistory;
}

/** One point in time, in Unix ms and in monotonic ms. */
export interface Instant {
  wall: number;
  monotonic: number;
}

/** By monitor: when the message's probe lost it, Unix ms; Infinity while it has it; null if never. */
export type AssignmentHistory = ReadonlyMap<string, number | null>;

/** Which probe has, or had, which monitor. */
export interface Assignments {
  /** The cached value, as in `AssignmentHistory`, up to a few seconds old; undefined if it must be read. */
  until(probeId: string, monitorId: string): number | undefined;
  /**
   * Reads assignments from the database. Rejects if it does not respond. Null, without reading, if the probe
   * has exceeded its miss limit.
   */
  read(probeId: string, monitorIds: string[]): Promise<AssignmentHistory> | null;
}

/** What intake asks about the source of a batch, once when the batch is taken. */
export interface IntakeFacts {
  /** Organization of a private region, null for a shared one. */
  readonly owner: string | null;
  /** Added to the probe's timestamps, ms; 0 if its clock is right, or not known to be wrong. */
  readonly clockShiftMs: number;
  /** False for a probe in quarantine, whose results are stored without effect on verdicts. */
  readonly hasVote: boolean;
}

/** What a shard must know about organizations, regions and probes to accept their results. */
export interface TakeLimits {
  shardOf(monitorId: string): number;
  /** How long an organization keeps its results, ms. Older ones are refused as `too_old`. */
  rawRetentionMs(organizationId: string): number;
  /** The longest of these, ms. */
  maxRawRetentionMs: number;
  /** Undefined while the region is unknown, so its batches wait. */
  intakeFacts(probeId: string, region: string): IntakeFacts | undefined;
  /** As in `IntakeFacts`, when no batch is taken. */
  hasVote(probeId: string): boolean;
  /** Whether a probe of the region is online. */
  hasLiveProbe(region: string): boolean;
  /** Whether a region that does not count in the current verdict may still vote in time. */
  canGetMoreVotes(state: MonitorState): boolean;
  assignments: Assignments;
  /** The regions that currently have the monitor; null if unknown, or for a heartbeat. */
  assigned(config: MonitorConfig): Assigned | null;
  /** How long a monitor must at least be unknown before a no-data alert, ms. */
  noDataAfterMs: number;
}
