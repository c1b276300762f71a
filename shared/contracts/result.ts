import { z } from 'zod';

/** Incident types of the HTTP API; what a failed result says was wrong. */
export const ERROR_TYPES = [
  'timeout', 'status_code', 'keyword_missing', 'ssl_error', 'dns_error', 'dns_validation_error',
  'connection_error', 'slow_response',
] as const;
export const errorType = z.enum(ERROR_TYPES);
export type ErrorType = z.infer<typeof errorType>;

/** Where a check failed, from the name lookup to what the answer contains. */
const ERROR_LAYERS = ['dns', 'connect', 'tls', 'request', 'response', 'content'] as const;
export const errorLayer = z.enum(ERROR_LAYERS);

/** What was wrong. `message` says what was expected and what came. Older probes send no `layer`. */
export const checkError =
  z.object({ type: errorType, layer: errorLayer.optional(), message: z.string().max(1000) });
export type CheckError = z.infer<typeof checkError>;

/** Why a scheduled slot was not run. Never counts against the target. */
export const MISSED_REASONS =
  ['overload', 'blocked_target', 'unsupported', 'probe_unhealthy', 'probe_down', 'clock_jump'] as const;
export const missedReason = z.enum(MISSED_REASONS);
export type MissedReason = z.infer<typeof missedReason>;

/** Why numbered results are gone: lost by the probe, or (`unreadable`) set aside by the controller. */
export const DROP_REASONS = ['trimmed', 'spool_full', 'corrupt', 'identity_changed', 'unreadable'] as const;
export const dropReason = z.enum(DROP_REASONS);
export type DropReason = z.infer<typeof dropReason>;

/** In the order that packed formats number them: what is added goes to the end. */
export const OUTCOMES = ['success', 'failure', 'missed'] as const;
export const REASONS = ['schedule', 'confirm', 'manual'] as const;
export const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const;

const phaseMs = z.number().min(0).max(3_600_000);

/** Milliseconds of each phase of a check; absent phases did not happen. */
export const timings = z.object({
  dns: phaseMs.optional(),
  connect: phaseMs.optional(),
  tls: phaseMs.optional(),
  first_byte: phaseMs.optional(),
  transfer: phaseMs.optional(),
});
export type Timings = z.infer<typeof timings>;

/** End of the year 9999: no calendar of ours prints later ones, and no packed row holds far larger steps. */
export const LATEST_INSTANT_MS = 253_402_300_799_999;
const unixMs = z.int().min(0).max(LATEST_INSTANT_MS);

/** Characters of a certificate's texts and of each of its names; how many names a result carries. */
export const TLS_LIMITS = { text: 256, nameLength: 253, names: 50 } as const;

/**
 * A TLS connection and the certificate of its peer. A probe sends it when it has changed, and once a day.
 * Older probes send it with each result and without the optional parts.
 */
export const tlsFacts = z.object({
  /** Trusted, in time, and for the name that was asked for. */
  valid: z.boolean(),
  expires_at: z.number().min(0).max(LATEST_INSTANT_MS).nullable(),
  issuer: z.string().max(TLS_LIMITS.text),
  subject: z.string().max(TLS_LIMITS.text),
  /** Empty when the peer showed no certificate. */
  fingerprint256: z.string().max(128),
  protocol: z.string().max(16),
  valid_from: unixMs.nullable().optional(),
  /** DNS names and IP addresses; `more_names` counts those beyond. */
  names: z.array(z.string().max(TLS_LIMITS.nameLength)).max(TLS_LIMITS.names).optional(),
  more_names: z.int().min(0).max(1_000_000).optional(),
  /** Why it is not valid: OpenSSL's or Node's code, and a sentence. */
  problem: z.object({ code: z.string().max(64), message: z.string().max(1000) }).nullable().optional(),
  /** `RSA 2048`, `EC P-256`. */
  key: z.string().max(64).optional(),
  /** The broken hash that it is signed with. */
  weak_signature: z.enum(['MD5', 'SHA-1']).nullable().optional(),
});
export type TlsFacts = z.infer<typeof tlsFacts>;

/** Names one life of a probe. Printable ASCII, so that it is the same text in every store and log. */
export const EPOCH = /^[\x21-\x7e]{1,64}$/;

/** Far beyond what a probe can issue in one lane; sums of two such numbers are exact. */
export const MAX_SEQ = 2 ** 40;
const seq = z.int().min(1).max(MAX_SEQ);

const MAX_REVISION = 2 ** 40;
/** A scheduled check with its rechecks. */
export const MAX_ATTEMPTS = 16;
/** Decades of slots one second apart. */
const MAX_MISSED_SLOTS = 2 ** 31;
/** Details are written as JSON by several readers, so depth and size are limited for all of them. */
export const DETAIL_LIMITS = { depth: 8, bytes: 4096 } as const;

export const missedSlots = z.object({ reason: missedReason, count: z.int().min(1).max(MAX_MISSED_SLOTS) });

export const resultDetail = z.record(z.string(), z.unknown()).refine(
  (detail) => isShallow(detail, DETAIL_LIMITS.depth) && JSON.stringify(detail).length <= DETAIL_LIMITS.bytes,
  { error: `detail is limited to ${DETAIL_LIMITS.depth} levels and ${DETAIL_LIMITS.bytes} characters` },
);

/** True when `value` has at most `levels` levels; goes no deeper than that. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/**
 * One check, or a run of slots that were not checked. Instants are Unix ms by the probe's clock, durations
 * ms. Of `(probe, epoch, shard)` the `seq` counts 1, 2, 3….
 */
export const checkResult = z.object({
  seq,
  monitor_id: z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  assignment_rev: z.int().min(1).max(MAX_REVISION),
  /** 1 for the scheduled try, 2… for its rechecks. */
  attempt: z.int().min(1).max(MAX_ATTEMPTS),
  reason: z.enum(REASONS),
  scheduled_at: unixMs,
  started_at: unixMs,
  /** Null when nothing was measured (missed slots, failures before the first byte may still carry it). */
  response_time_ms: z.number().min(0).max(3_600_000).nullable(),
  outcome: z.enum(OUTCOMES),
  /** A success slower than the monitor's threshold. */
  degraded: z.boolean(),
  status_code: z.int().min(100).max(999).nullable().default(null),
  error: checkError.nullable().default(null),
  /** With `missed`: the reason and how many slots from `scheduled_at` on, one interval apart. */
  missed: missedSlots.nullable().default(null),
  timings: timings.nullable().default(null),
  remote_address: z.string().max(64).nullable().default(null),
  tls: tlsFacts.nullable().default(null),
  detail: resultDetail.nullable().default(null),
});
export type CheckResult = z.infer<typeof checkResult>;

/** A stretch of a lane that the probe lost, by name. */
export const droppedRange = z.object({
  first: seq,
  last: seq,
  reason: dropReason,
});
export type DroppedRange = z.infer<typeof droppedRange>;

/**
 * A stretch of one lane without a hole: every seq from the first to the last is a result or in a dropped
 * range. At most MAX_BATCH_RESULTS results and MAX_BATCH_BYTES on the wire.
 */
export interface ResultBatch {
  epoch: string;
  /** Version of the probe's software. */
  engine: string;
  first: number;
  last: number;
  results: CheckResult[];
  dropped: DroppedRange[];
}

export const MAX_BATCH_RESULTS = 100;
export const MAX_BATCH_BYTES = 65_536;

/** Reply to a batch: every seq up to and including `watermark` of that lane is in the journal for good. */
export const batchResponse = z.object({ v: z.literal(1), watermark: z.int().min(0) });
export type BatchResponse = z.infer<typeof batchResponse>;

/** Name of a lane within its shard. */
export function laneName(probeId: string, epoch: string): string {
  return `${probeId}/${epoch}`;
}

/** The probe of a lane by its name. */
export function probeOfLane(lane: string): string {
  return lane.slice(0, lane.indexOf('/'));
}
