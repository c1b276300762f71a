import { z } from 'zod';
import { LATEST_INSTANT_MS, checkError, timings, tlsFacts } from './result.ts';

/** Longer messages are neither sent nor read. */
export const MAX_EVIDENCE_BYTES = 8192;
/** A probe's send limit: messages per second, and burst size. */
export const EVIDENCE_RATE = { perSecond: 5, burst: 100 } as const;

/** Maximum characters per text and maximum entries per list. Bodies are truncated before sending. */
export const EVIDENCE_LIMITS = {
  statusLine: 500, headerName: 100, headerValue: 1000, headers: 50, body: 4096, addresses: 16,
} as const;
const { statusLine, headerName, headerValue, headers, body, addresses } = EVIDENCE_LIMITS;

/** What a target sent to one check. Credentials and cookies are replaced by `***`. */
const responseEvidence = z.object({
  /** When the check started, Unix ms by the probe's clock. */
  checked_at: z.int().min(0).max(LATEST_INSTANT_MS),
  /** The address connected to. */
  remote_address: z.string().max(64).nullable(),
  /** All addresses of the name that may be checked, in the order they are tried. */
  addresses: z.array(z.string().max(64)).max(addresses),
  /** Null without an HTTP response. */
  status_line: z.string().max(statusLine).nullable(),
  headers: z.array(z.object({ name: z.string().max(headerName), value: z.string().max(headerValue) }))
    .max(headers),
  /** The start of the body or of what a TCP server sent, or the records of a DNS response, one per line. */
  body_excerpt: z.string().max(body).nullable(),
  certificate: tlsFacts.nullable(),
  timings: timings.nullable(),
});

/** What a failed check saw, with the latest successful check of the same monitor by the same probe. */
export const evidence = responseEvidence.extend({
  v: z.literal(1),
  monitor_id: z.uuid(),
  assignment_rev: z.int().min(1),
  error: checkError,
  /** Null if the probe has none since its start, or has discarded it. */
  last_good: responseEvidence.nullable(),
});
export type ResponseEvidence = z.infer<typeof responseEvidence>;
export type EvidenceMessage = z.infer<typeof evidence>;
