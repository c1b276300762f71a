import { z } from 'zod';

/** How often a probe beats, ms. */
export const BEAT_INTERVAL_MS = 5000;
/** A longer message is not read. */
export const MAX_BEAT_BYTES = 8192;

/** A probe's sign of life. Counts are of the moment it was sent. */
export const beat = z.object({
  v: z.literal(1),
  /** The newest epoch: two live ones under one identity betray a cloned probe. */
  epoch: z.string(),
  /** Unix ms by the probe's clock; the controller's receive time minus this is the offset seen. */
  sent_at: z.number(),
  started_at: z.number(),
  version: z.string().max(64),
  capabilities: z.array(z.string().max(32)).max(32),
  /** Revision of the assignments held. */
  revision: z.int().min(0),
  monitors: z.int().min(0),
  in_flight: z.int().min(0),
  /** Results in the spool that no watermark covers yet. */
  spool_depth: z.int().min(0),
  /** Share of one core used since the last beat, 0 to 1 and above. */
  load: z.number().min(0),
  /** How late checks began at most since the last beat, ms. */
  lateness_ms: z.number().min(0).optional(),
  /** Share of slots that were not checked in the last minute or two, 0 to 1. */
  missed_rate: z.number().min(0).max(1).optional(),
  /** Share of results that the probe could not keep in that time, 0 to 1. */
  lost_rate: z.number().min(0).max(1).optional(),
  /** The last beat of a probe that stops: its monitors may move at once. */
  leaving: z.literal(true).optional(),
});
export type Beat = z.infer<typeof beat>;
