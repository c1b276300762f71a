import { z } from 'zod';
import { checkError, missedReason, OUTCOMES, REASONS, timings } from '../../../shared/contracts/result.ts';

/** What a block keeps of a result. Instants are Unix ms, durations ms to a tenth. */
export const storedResult = z.object({
  region: z.string(),
  probe_id: z.string(),
  scheduled_at: z.number(),
  started_at: z.number(),
  outcome: z.enum(OUTCOMES),
  degraded: z.boolean(),
  reason: z.enum(REASONS),
  attempt: z.number(),
  /** It came too late to move a verdict. */
  late: z.boolean(),
  /** Of a late one: when the journal took it, and the epoch of its probe. */
  received: z.object({ at: z.number(), epoch: z.string() }).optional(),
  response_time_ms: z.number().nullable(),
  status_code: z.number().nullable(),
  error: checkError.nullable(),
  missed: z.object({ reason: missedReason, count: z.number() }).nullable(),
  timings: timings.nullable(),
});
export type StoredResult = z.infer<typeof storedResult>;
