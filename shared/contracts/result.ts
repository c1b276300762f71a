import { z } from 'zod';

/** Incident types of the HTTP API, and the error types of failed results. */
export const ERROR_TYPES = [
  'timeout', 'status_code', 'keyword_missing', 'ssl_error', 'dns_error', 'dns_validation_error',
  'connection_error', 'slow_response',
] as const;
export const errorType = z.enum(ERROR_TYPES);
export type ErrorType = z.infer<typeof errorType>;

/** The layer where a check failed, from name lookup to response content. */
const ERROR_LAYERS = ['dns', 'connect', 'tls', 'request', 'response', 'content'] as const;
export const errorLayer = z.enum(ERROR_LAYERS);

/**
 * Why a check failed. `message` states what was expected and what was received. Heartbeats have no `layer`.
 */
export const checkError =
  z.object({ type: errorType, layer: errorLayer.optional(), message: z.string().max(1000) });
export type CheckError = z.infer<typeof checkError>;

/** Why a scheduled slot was missed. Never counts against the target. */
export const MISSED_REASONS =
  ['overload', 'blocked_target', 'unsupported', 'probe_unhealthy', 'probe_down', 'clock_jump'] as const;
export const missedReason = z.enum(MISSED_REASONS);
export type MissedReason = z.infer<typeof missedReason>;

/** Why numbered results are missing: lost by the probe, or dead-lettered by the controller (`unreadable`). */
export const DROP_REASONS = ['trimmed', 'spool_full', 'corrupt', 'identity_changed', 'unreadable'] as const;
export const dropReason = z.enum(DROP_REASONS);
export type DropReason = z.infer<typeof dropReason>;

/** Packed formats store the index, so add new values at the end. The same holds for the next two lists. */
export const OUTCOMES = ['success', 'failure', 'missed'] as const;
export const REASONS = ['schedule', 'confirm', 'manual'] as const;
export const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const;

const phaseMs = z.number().min(0).max(3_600_000);

/** Milliseconds per phase of a check; phases that didn't happen are absent. */
export const timings = z.object({
  dns: phaseMs.optional(),
  connect: phaseMs.optional(),
  tls: phaseMs.optional(),
  first_byte: phaseMs.optional(),
  transfer: phaseMs.optional(),
});
export type Timings = z.infer<typeof timings>;

/**
 * End of the year 9999: our calendars print no later date, and packed rows can't hold far larger differences.
 */
export const LATEST_INSTANT_MS = 253_402_300_799_999;
const unixMs = z.int().min(0).max(LATEST_INSTANT_MS);

/** Maximum characters of a certificate's texts and of each name, and maximum names per result. */
export const TLS_LIMITS = { text: 256, nameLength: 253, names: 50 } as const;

/** A TLS connection and its peer's certificate. Probes send it when it changes, and once a day. */
export const tlsFacts = z.object({
  /** Trusted, unexpired, and issued for the requested name. */
  valid: z.boolean(),
  expires_at: z.number().min(0).max(LATEST_INSTANT_MS).nullable(),
  issuer: z.string().max(TLS_LIMITS.text),
  subject: z.string().max(TLS_LIMITS.text),
  /** Empty if the peer presented no certificate. */
  fingerprint256: z.string().max(128),
  protocol: z.string().max(16),
  valid_from: unixMs.nullable(),
  /** DNS names and IP addresses; `more_names` counts those omitted. */
  names: z.array(z.string().max(TLS_LIMITS.nameLength)).max(TLS_LIMITS.names),
  more_names: z.int().min(0).max(1_000_000),
  /** Why it is invalid: the OpenSSL or Node code, and a sentence. */
  problem: z.object({ code: z.string().max(64), message: z.string().max(1000) }).nullable(),
  /** For example `RSA 2048` or `EC P-256`. */
  key: z.string().max(64),
  /** The broken hash algorithm of its signature. */
  weak_signature: z.enum(['MD5', 'SHA-1']).nullable(),
});
export type TlsFacts = z.infer<typeof tlsFacts>;

/** Response headers whose changes are reported. */
export const COMPARED_HEADERS =
  ['server', 'via', 'strict-transport-security', 'content-security-policy'] as const;

/** Limits of each list in the facts about a target, and of the characters of each value. */
export const FACT_LIMITS = {
  addresses: 32, addressLength: 64, names: 16, nameLength: 253, redirects: 11, urlLength: 200,
  headerLength: 200,
} as const;

/**
 * Facts about a target whose changes are reported. Probes send all that they know when one of them is new,
 * and once a week. Lists that have no order are sorted.
 */
export const targetFacts = z.object({
  /** Of the target's name. Absent if the target is an address, or the lookup failed. */
  addresses: z.array(z.string().max(FACT_LIMITS.addressLength)).max(FACT_LIMITS.addresses).optional(),
  /** Of the zone of its name. Absent until they are known. */
  name_servers: z.array(z.string().max(FACT_LIMITS.nameLength)).max(FACT_LIMITS.names).optional(),
  /** Where redirects led, without queries. Absent, like `headers`, without a complete response below 500. */
  redirects: z.array(z.string().max(FACT_LIMITS.urlLength)).max(FACT_LIMITS.redirects).optional(),
  /** The compared headers of the last response. */
  headers: z.partialRecord(z.enum(COMPARED_HEADERS), z.string().max(FACT_LIMITS.headerLength)).optional(),
});
export type TargetFacts = z.infer<typeof targetFacts>;

/** Identifies one run of a probe. Printable ASCII, so that every store and log shows the same text. */
export const EPOCH = /^[\x21-\x7e]{1,64}$/;

/** More than a probe can ever issue in one lane; sums of two such numbers stay exact. */
export const MAX_SEQ = 2 ** 40;
const seq = z.int().min(1).max(MAX_SEQ);

const MAX_REVISION = 2 ** 40;
/** A scheduled check and its rechecks. */
export const MAX_ATTEMPTS = 16;
/** Enough for decades of one-second slots. */
const MAX_MISSED_SLOTS = 2 ** 31;
/** Several consumers serialize details as JSON, so depth and size are limited for all of them. */
export const DETAIL_LIMITS = { depth: 8, bytes: 4096 } as const;

export const missedSlots = z.object({ reason: missedReason, count: z.int().min(1).max(MAX_MISSED_SLOTS) });

export const resultDetail = z.record(z.string(), z.unknown()).refine(
  (detail) => isShallow(detail, DETAIL_LIMITS.depth) && JSON.stringify(detail).length <= DETAIL_LIMITS.bytes,
  { error: `detail is limited to ${DETAIL_LIMITS.depth} levels and ${DETAIL_LIMITS.bytes} characters` },
);

/** True if `value` has at most `levels` levels; doesn't descend further. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/**
 * One check, or a run of missed slots. Instants are Unix ms by the probe's clock; durations are ms. `seq`
 * counts 1, 2, 3… per `(probe, epoch, shard)`.
 */
export const checkResult = z.object({
  seq,
  monitor_id: z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  assignment_rev: z.int().min(1).max(MAX_REVISION),
  /** 1 for the scheduled check, 2 and up for its rechecks. */
  attempt: z.int().min(1).max(MAX_ATTEMPTS),
  reason: z.enum(REASONS),
  scheduled_at: unixMs,
  started_at: unixMs,
  /** Null if nothing was measured; failures before the first byte may still have it. */
  response_time_ms: z.number().min(0).max(3_600_000).nullable(),
  outcome: z.enum(OUTCOMES),
  /** A success slower than the monitor's threshold. */
  degraded: z.boolean(),
  status_code: z.int().min(100).max(999).nullable().default(null),
  error: checkError.nullable().default(null),
  /** For `missed`: the reason and the number of slots from `scheduled_at` on, one interval apart. */
  missed: missedSlots.nullable().default(null),
  timings: timings.nullable().default(null),
  remote_address: z.string().max(64).nullable().default(null),
  tls: tlsFacts.nullable().default(null),
  facts: targetFacts.optional(),
  detail: resultDetail.nullable().default(null),
});
export type CheckResult = z.infer<typeof checkResult>;

/** A range of a lane that the probe lost. */
export const droppedRange = z.object({
  first: seq,
  last: seq,
  reason: dropReason,
});
export type DroppedRange = z.infer<typeof droppedRange>;

/**
 * A contiguous range of one lane: every seq from first to last is a result or in a dropped range. At most
 * MAX_BATCH_RESULTS results and MAX_BATCH_BYTES on the wire.
 */
export interface ResultBatch {
  epoch: string;
  /** Version of the probe software. */
  engine: string;
  first: number;
  last: number;
  results: CheckResult[];
  dropped: DroppedRange[];
}

export const MAX_BATCH_RESULTS = 100;
export const MAX_BATCH_BYTES = 65_536;

/** Response to a batch: every seq up to and including `watermark` of its lane is durable in the journal. */
export const batchResponse = z.object({ v: z.literal(1), watermark: z.int().min(0) });
export type BatchResponse = z.infer<typeof batchResponse>;

/** Name of a lane, unique within its shard. */
export function laneName(probeId: string, epoch: string): string {
  return `${probeId}/${epoch}`;
}

/** The probe id in a lane's name. */
export function probeOfLane(lane: string): string {
  return lane.slice(0, lane.indexOf('/'));
}
