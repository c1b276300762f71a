import { z } from 'zod';
import { checkSpec } from './check-spec.ts';
import { checkResult } from './result.ts';

/** One monitor that a probe should run. Durations are ms. */
export const assignment = z.object({
  monitor_id: z.string(),
  organization_id: z.string(),
  project_id: z.string(),
  /** Revision of the check's definition. Results carry it, and the probe checks a new one immediately. */
  assignment_rev: z.int().min(1),
  interval_ms: z.int().min(1),
  timeout_ms: z.int().min(1),
  /** Offset of the slots in the interval: slot k is due at `k * interval_ms + phase_ms` (Unix ms). */
  phase_ms: z.int().min(0),
  /** Immediate rechecks by the probe after the first failure that follows a success. */
  retries: z.int().min(0).max(5),
  /** Whether the check may reach private and loopback addresses; the probe's own setting can deny them. */
  allow_private: z.boolean(),
  spec: checkSpec,
});
export type Assignment = z.infer<typeof assignment>;

/** A change to a probe's assignments: a new or updated assignment, or the id of a removed one. */
export const assignmentChange = z.union([z.object({ set: assignment }), z.object({ gone: z.string() })]);
export type AssignmentChange = z.infer<typeof assignmentChange>;

/**
 * Content of an `assign` message or a `sync` response. Takes a holder of revision `from` to `revision`; with
 * `reset`, `changes` replace the whole set. If `more` is set, request the next page with it as `after`.
 */
export const assignmentDelta = z.object({
  from: z.int().min(0),
  revision: z.int().min(0),
  reset: z.boolean(),
  changes: z.array(assignmentChange).max(1000),
  /**
   * Cursor for the next page, sent back as `after`; null on the last page. `revision` is valid only with the
   * last.
   */
  more: z.string().nullable(),
});
export type AssignmentDelta = z.infer<typeof assignmentDelta>;

/** `sync` request: `revision` is the one the probe has. `after` requests the next page of a response. */
export const syncRequest = z.object({
  v: z.literal(1),
  revision: z.int().min(0),
  after: z.string().nullable().default(null),
});
export type SyncRequest = z.infer<typeof syncRequest>;

/**
 * Order for one immediate check. `assignment` need not be in the probe's set, as when testing before saving.
 */
export const runOrder = z.object({
  assignment,
  reason: z.enum(['confirm', 'manual']),
  /** Whether to also add the result to the probe's spool because this monitor is in its set. */
  record: z.boolean(),
});
export type RunOrder = z.infer<typeof runOrder>;

export const MAX_CONFIRMED_MONITORS = 500;
/** Maximum confirmations a probe runs per monitor and interval. */
export const CONFIRMATIONS_PER_INTERVAL = 4;

/**
 * Checks these monitors of the probe's set immediately, with their usual retries, in addition to the
 * schedule. There is no response: results travel in their lanes. Monitors the probe doesn't have are ignored.
 */
export const confirmOrder = z.object({ confirm: z.array(z.string()).min(1).max(MAX_CONFIRMED_MONITORS) });
export type ConfirmOrder = z.infer<typeof confirmOrder>;

/** Response to a run order. `seq` is 0 if the result goes only to the requester and is in no lane. */
export const runResponse = z.object({ v: z.literal(1), result: checkResult.extend({ seq: z.int().min(0) }) });
export type RunResponse = z.infer<typeof runResponse>;

/**
 * Message from controller to probe, signed and sealed to the probe's box key. `signature` is Ed25519
 * (base64url) over `purpose \n probe_id \n revision \n expires_at \n payload`, each as text.
 */
export const signedEnvelope = z.object({
  v: z.literal(1),
  purpose: z.enum(['assign', 'sync', 'run']),
  probe_id: z.string(),
  revision: z.int().min(0),
  /** Unix ms; a probe rejects expired envelopes, with 60 s of leeway for its clock. */
  expires_at: z.number(),
  /** Base64 of the sealed JSON of an AssignmentDelta, or of an order. */
  payload: z.string(),
  signature: z.string(),
});
export type SignedEnvelope = z.infer<typeof signedEnvelope>;

/** The exact bytes that an envelope's signature covers. */
export function signedText(envelope: Omit<SignedEnvelope, 'signature' | 'v'>): string {
  const { purpose, probe_id: probeId, revision, expires_at: expiresAt, payload } = envelope;
  return [purpose, probeId, revision, expiresAt, payload].join('\n');
}
