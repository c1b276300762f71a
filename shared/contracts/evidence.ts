import { z } from 'zod';
import { LATEST_INSTANT_MS, checkError, timings, tlsFacts } from './result.ts';

/** A longer message is neither sent nor read, bytes. */
export const MAX_EVIDENCE_BYTES = 8192;
/** What a probe may send: messages a second, and at once after a pause. */
export const EVIDENCE_RATE = { perSecond: 5, burst: 100 } as const;

/** Characters of each text, and how many of each list, at most. A body is cut before it is sent. */
export const EVIDENCE_LIMITS = {
  statusLine: 500, headerName: 100, headerValue: 1000, headers: 50, body: 4096, addresses: 16,
} as const;
const { statusLine, headerName, headerValue, headers, body, addresses } = EVIDENCE_LIMITS;

/** What a target sent to one check. Credentials and cookies stand as `***`. */
const responseEvidence = z.object({
  /** When the check began, Unix ms by the probe's clock. */
  checked_at: z.int().min(0).max(LATEST_INSTANT_MS),
  /** The address that was connected to. */
  remote_address: z.string().max(64).nullable(),
  /** All addresses of the name that may be checked, in the order of trying. */
  addresses: z.array(z.string().max(64)).max(addresses),
  /** Null without an HTTP answer. */
  status_line: z.string().max(statusLine).nullable(),
  headers: z.array(z.object({ name: z.string().max(headerName), value: z.string().max(headerValue) }))
    .max(headers),
  /** The beginning of the body, of what a TCP server said, or the records of a DNS answer, one per line. */
  body_excerpt: z.string().max(body).nullable(),
  certificate: tlsFacts.nullable(),
  timings: timings.nullable(),
});

/** What a failed check saw, beside the latest good check of the same monitor by the same probe. */
export const evidence = responseEvidence.extend({
  v: z.literal(1),
  monitor_id: z.uuid(),
  assignment_rev: z.int().min(1),
  error: checkError,
  /** Null when the probe has none since its start, or no longer has it. */
  last_good: responseEvidence.nullable(),
});
export type ResponseEvidence = z.infer<typeof responseEvidence>;
export type EvidenceMessage = z.infer<typeof evidence>;
