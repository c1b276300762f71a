import { z } from 'zod';
import { checkSpec } from './check-spec.ts';
import { checkResult } from './result.ts';

/** One monitor that a probe should run. Durations are ms. */
export const assignment = z.object({
  monitor_id: z.string(),
  organization_id: z.string(),
  project_id: z.string(),
  /** Revision of what is checked; results carry it, and a new one is checked at once. */
  assignment_rev: z.int().min(1),
  interval_ms: z.int().min(1),
  timeout_ms: z.int().min(1),
  /** Offset of the slots in the interval: slot k is due at `k * interval_ms + phase_ms` (Unix ms). */
  phase_ms: z.int().min(0),
  /** Immediate rechecks by the probe after the first failure that follows a success. */
  retries: z.int().min(0).max(5),
  /** Whether the check may reach private and loopback addresses; absent: the probe's own setting decides. */
  allow_private: z.boolean().optional(),
  spec: checkSpec,
});
export type Assignment = z.infer<typeof assignment>;

/** A change of a probe's desired set: an assignment, or the id of one that is gone. */
export const assignmentChange = z.union([z.object({ set: assignment }), z.object({ gone: z.string() })]);
export type AssignmentChange = z.infer<typeof assignmentChange>;

/**
 * The content of an `assign` message or a `sync` reply. A holder of revision `from` that applies `changes`
 * holds `revision`; with `reset` they replace the whole set, whatever was held. `more`: ask again with
 * `revision` and `after`.
 */
export const assignmentDelta = z.object({
  from: z.int().min(0),
  revision: z.int().min(0),
  reset: z.boolean(),
  changes: z.array(assignmentChange).max(1000),
  /** Set while a long answer is paged: pass it back as `after`; the revision counts only on the last page. */
  more: z.string().nullable(),
});
export type AssignmentDelta = z.infer<typeof assignmentDelta>;

/** `sync` request: "I hold `revision`". `after` continues a paged answer. */
export const syncRequest = z.object({
  v: z.literal(1),
  revision: z.int().min(0),
  after: z.string().nullable().default(null),
});
export type SyncRequest = z.infer<typeof syncRequest>;

/** One check now. `assignment` need not be in the probe's set (a test before saving). */
export const runOrder = z.object({
  assignment,
  reason: z.enum(['confirm', 'manual']),
  /** Whether the result also goes into the probe's spool, as its set holds this monitor. */
  record: z.boolean(),
});
export type RunOrder = z.infer<typeof runOrder>;

/** Monitors of one `ConfirmOrder`, at most. */
export const MAX_CONFIRMED_MONITORS = 500;
/** A probe carries out at most this many of them for a monitor and interval. */
export const CONFIRMATIONS_PER_INTERVAL = 4;

/**
 * Check these monitors of the probe's set now, as often as they retry, beside the schedule. Nobody answers:
 * the results travel their lanes. Monitors that the probe does not have are passed over.
 */
export const confirmOrder = z.object({ confirm: z.array(z.string()).min(1).max(MAX_CONFIRMED_MONITORS) });
export type ConfirmOrder = z.infer<typeof confirmOrder>;

/** The answer to a run order. `seq` may be 0: the result is for the one who asked and is in no lane. */
export const runResponse = z.object({ v: z.literal(1), result: checkResult.extend({ seq: z.int().min(0) }) });
export type RunResponse = z.infer<typeof runResponse>;

/**
 * What travels from controller to probe: signed, and sealed to the probe's box key. `signature` is Ed25519
 * (base64url) over `purpose \n probe_id \n revision \n expires_at \n payload`, each as text.
 */
export const signedEnvelope = z.object({
  v: z.literal(1),
  purpose: z.enum(['assign', 'sync', 'run']),
  probe_id: z.string(),
  revision: z.int().min(0),
  /** Unix ms; a probe refuses what has expired (with 60 s leeway for its clock). */
  expires_at: z.number(),
  /** Base64 of the sealed JSON of an AssignmentDelta, a RunOrder or a ConfirmOrder. */
  payload: z.string(),
  signature: z.string(),
});
export type SignedEnvelope = z.infer<typeof signedEnvelope>;

/** The exact bytes that an envelope's signature covers. */
export function signedText(envelope: Omit<SignedEnvelope, 'signature' | 'v'>): string {
  const { purpose, probe_id: probeId, revision, expires_at: expiresAt, payload } = envelope;
  return [purpose, probeId, revision, expiresAt, payload].join('\n');
}
