/** A batch message of the bus. `answer` sends the watermark. */
export interface TakenMessage {
  region: string;
  probe_id: string;
  bytes: Uint8Array;
  answer(watermark: number): void;
}

/** Unix ms and monotonic ms of one moment. */
export interface Instant {
  wall: number;
  monotonic: number;
}

/** What a shard's owner asks about organizations, regions and probes while it takes their results. */
export interface TakeLimits {
  /** How long an organization keeps its results, ms: what was started longer ago is refused as `too_old`. */
  rawRetentionMs(organizationId: string): number;
  /** The longest of these, ms. */
  longestRawMs: number;
  /** Organization of a private region, null of a shared one; undefined: not known yet, and its batches wait. */
  regionOwner(region: string): string | null | undefined;
  /** What to add to a probe's times, ms: 0 while its clock is right, or is not known to be wrong. */
  clockShiftMs(probeId: string): number;
}
