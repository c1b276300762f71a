import { z } from 'zod';
import { meshReport } from './mesh.ts';

export const BEAT_INTERVAL_MS = 5000;
/** Longer messages are ignored. */
export const MAX_BEAT_BYTES = 8192;

/** A probe's sign of life. Counts are as of when it was sent. */
export const beat = z.object({
  v: z.literal(1),
  /** The newest epoch. Two live epochs under one identity reveal a cloned probe. */
  epoch: z.string(),
  /** Unix ms by the probe's clock; the controller's receive time minus this is the observed clock offset. */
  sent_at: z.number(),
  started_at: z.number(),
  version: z.string().max(64),
  capabilities: z.array(z.string().max(32)).max(32),
  /** Revision of the probe's assignments. */
  revision: z.int().min(0),
  monitors: z.int().min(0),
  in_flight: z.int().min(0),
  /** Results in the spool that no watermark covers yet. */
  spool_depth: z.int().min(0),
  /** CPU use since the last beat as a share of one core; may exceed 1. */
  load: z.number().min(0),
  /** Maximum delay in starting a check since the last beat, ms. */
  lateness_ms: z.number().min(0),
  /** Share of slots missed in the last one to two minutes, 0 to 1. */
  missed_rate: z.number().min(0).max(1),
  /** Share of results the probe lost in that time, 0 to 1. */
  lost_rate: z.number().min(0).max(1),
  /** Absent if the probe takes no part in the mesh. */
  mesh: meshReport.optional(),
  /** Set in the last beat of a stopping probe: its monitors can move immediately. */
  leaving: z.literal(true).optional(),
});
export type Beat = z.infer<typeof beat>;
