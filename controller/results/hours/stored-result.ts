import { z } from 'zod';
import { checkError, missedReason, OUTCOMES, REASONS, timings } from '../../../shared/contracts/result.ts';

/** A result as stored in a block. Timestamps are Unix ms, durations ms to a tenth. */
export const storedResult = z.object({
  region: z.string(),
  probe_id: z.string(),
  scheduled_at: z.number(),
  started_at: z.number(),
  outcome: z.enum(OUTCOMES),
  degraded: z.boolean(),
  reason: z.enum(REASONS),
  attempt: z.number(),
  /** It arrived too late to affect the verdict. */
  late: z.boolean(),
  /** For late results: when the journal recorded it, and the epoch of its probe. */
  received: z.object({ at: z.number(), epoch: z.string() }).optional(),
  response_time_ms: z.number().nullable(),
  status_code: z.number().nullable(),
  error: checkError.nullable(),
  missed: z.object({ reason: missedReason, count: z.number() }).nullable(),
  timings: timings.nullable(),
});
export type StoredResult = z.infer<typeof storedResult>;
