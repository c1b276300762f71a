import { z } from 'zod';

/** Types of monitor of the HTTP API. */
export const MONITOR_TYPES = ['HTTP', 'KEYWORD', 'ICMP', 'TCP', 'DNS', 'HEARTBEAT'] as const;
export const monitorType = z.enum(MONITOR_TYPES);
export type MonitorType = z.infer<typeof monitorType>;

/** What an HTTP check does. Durations are ms. */
export const httpSpec = z.object({
  type: z.literal('HTTP'),
  url: z.string(),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  follow_redirects: z.boolean(),
  max_redirects: z.int().min(0).max(10),
  verify_ssl: z.boolean(),
  /** Accepted status codes; empty means 200 to 299. */
  expected_status: z.array(z.int().min(100).max(599)),
  /** A success slower than this is `degraded`; null when unset. */
  slow_response_threshold_ms: z.number().nullable(),
});
export type HttpSpec = z.infer<typeof httpSpec>;

/**
 * What this version has no check for: another type, or an HTTP spec that it cannot read, which is marked `unreadable`.
 * Its slots end as `missed` with the reason `unsupported`. All fields are kept for the version that can.
 */
export const otherSpec = z.looseObject({ type: z.string() })
  .transform((spec): { [field: string]: unknown; type: string } => (spec.type === 'HTTP' ? { ...spec, unreadable: true } : spec));

export const checkSpec = z.union([httpSpec, otherSpec]);
export type CheckSpec = z.infer<typeof checkSpec>;

/** Narrows to an HTTP spec that `checkSpec` has parsed in full; asked before every check, so it does not parse again. */
export function isHttpSpec(spec: CheckSpec): spec is HttpSpec {
  return spec.type === 'HTTP' && !('unreadable' in spec);
}
