/** A batch message of the bus. `answer` sends the watermark. */
export interface TakenMessage {
  region: string;
  probe_id: string;
  bytes: Uint8Array;
  answer(watermark: number): void;
}

/** One moment in Unix ms and in monotonic ms. */
export interface Instant {
  wall: number;
  monotonic: number;
}

/** What a shard needs to know of organizations, regions and probes to accept their results. */
export interface TakeLimits {
  /** How long an organization keeps its results, ms: an older result is refused as `too_old`. */
  rawRetentionMs(organizationId: string): number;
  /** The longest of these, ms. */
  longestRawMs: number;
  /** Organization of a private region, null for a shared one; undefined while unknown: its batches wait. */
  regionOwner(region: string): string | null | undefined;
  /** Added to a probe's times, ms: 0 while its clock is right, or not known to be wrong. */
  clockShiftMs(probeId: string): number;
}
