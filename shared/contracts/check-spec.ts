import { z } from 'zod';

/** Monitor types of the HTTP API. */
export const MONITOR_TYPES = ['HTTP', 'KEYWORD', 'ICMP', 'TCP', 'DNS', 'HEARTBEAT'] as const;
export const monitorType = z.enum(MONITOR_TYPES);
export type MonitorType = z.infer<typeof monitorType>;

/** Which of a host's addresses a check may use. */
export const IP_FAMILIES = ['any', 'ipv4', 'ipv6'] as const;
export type IpFamily = (typeof IP_FAMILIES)[number];

const port = z.int().min(1).max(65_535);

/** Fields of the spec of every type. */
const anyCheck = {
  /** The check must fail: the probe swaps success and failure. Omitted if not. */
  is_inverted: z.literal(true).optional(),
  /** Values of secret variables in this spec: the probe conceals them. Omitted if there are none. */
  secrets: z.array(z.string()).optional(),
};

export const ASSERTION_SOURCES = ['header', 'json', 'body'] as const;
export const COMPARISONS = [
  'equals', 'not_equals', 'contains', 'not_contains', 'greater_than', 'less_than', 'exists', 'absent',
] as const;

/** A condition on the response of an HTTP check. */
const assertion = z.object({
  source: z.enum(ASSERTION_SOURCES),
  /** The header's name, or the path into the JSON (`shared/json-path.ts`). */
  property: z.string().optional(),
  comparison: z.enum(COMPARISONS),
  /** The expected value; absent if the comparison needs none. */
  target: z.string().optional(),
});
export type Assertion = z.infer<typeof assertion>;

const status = z.int().min(100).max(599);

/**
 * The request of an HTTP check and the conditions on its response. Durations are ms. Optional fields are
 * omitted at their default.
 */
const request = {
  ...anyCheck,
  url: z.string(),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  follow_redirects: z.boolean(),
  max_redirects: z.int().min(0).max(10),
  verify_ssl: z.boolean(),
  /** Accepted status codes. If empty and no range is given, 200 to 299. */
  expected_status: z.array(status),
  /** Additional accepted ranges, inclusive. */
  expected_ranges: z.array(z.object({ first: status, last: status })).optional(),
  /** A success slower than this is `degraded`; null if unset. */
  slow_response_threshold_ms: z.number().nullable(),
  /** `down`: a slower response is a failure instead. */
  slow_response_action: z.literal('down').optional(),
  ip_family: z.enum(IP_FAMILIES).optional(),
  /** Connects to this host, and port if given, instead of the URL's. No brackets. */
  connect_to: z.object({ host: z.string().min(1), port: port.optional() }).optional(),
  assertions: z.array(assertion).optional(),
};

/**
 * Request headers that carry no credentials by definition, in lower case. Any other header may hold a secret:
 * `Cookie`, `X-Api-Key`, or a custom one.
 */
export const NON_SECRET_HEADERS: ReadonlySet<string> = new Set([
  'accept', 'accept-charset', 'accept-encoding', 'accept-language', 'cache-control', 'content-encoding',
  'content-language', 'content-type', 'dnt', 'origin', 'pragma', 'range', 'user-agent', 'x-requested-with',
]);

export const httpSpec = z.object({ type: z.literal('HTTP'), ...request });
export type HttpSpec = z.infer<typeof httpSpec>;

/** An HTTP check that also searches the body. */
export const keywordSpec = z.object({
  type: z.literal('KEYWORD'),
  ...request,
  keywords: z.array(z.object({ text: z.string().min(1), should_contain: z.boolean() })).min(1),
  /** Whether all keyword conditions must hold, or any of them. */
  match_mode: z.enum(['all', 'any']),
  case_sensitive: z.boolean(),
});
export type KeywordSpec = z.infer<typeof keywordSpec>;

export const TCP_PROTOCOLS = ['smtp', 'pop3', 'imap', 'ftp', 'ssh', 'http', 'https', 'generic'] as const;
export type TcpProtocol = (typeof TCP_PROTOCOLS)[number];

/** When TLS starts: never, on connect, or after a protocol command. */
export const TCP_TLS = ['none', 'implicit', 'starttls'] as const;
const IMPLICIT_TLS_PORTS: ReadonlySet<number> = new Set([443, 465, 990, 993, 995]);

/** TLS mode of a monitor that doesn't specify one. */
export function defaultTls(protocol: TcpProtocol, port: number): (typeof TCP_TLS)[number] {
  if (protocol === 'https') return 'implicit';
  return protocol !== 'ssh' && IMPLICIT_TLS_PORTS.has(port) ? 'implicit' : 'none';
}

/** A TCP connection check. `host` is an ASCII name or an address without brackets. */
export const tcpSpec = z.object({
  type: z.literal('TCP'),
  ...anyCheck,
  host: z.string().min(1),
  port,
  protocol: z.enum(TCP_PROTOCOLS),
  /** Whether the service must greet as its protocol requires. */
  protocol_validation: z.boolean(),
  tls: z.enum(TCP_TLS),
  /** For `generic`: what to send and what the response must contain. Each character is one byte. */
  send: z.string().nullable(),
  expect: z.string().nullable(),
});
export type TcpSpec = z.infer<typeof tcpSpec>;

export const DNS_RECORD_TYPES =
  ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SOA', 'SRV', 'CAA', 'PTR'] as const;
export const DNS_MATCHES = ['exact', 'contains', 'any'] as const;

/** DNS queries for a name: ASCII without a trailing dot; for an address, its name under `arpa`. */
export const dnsSpec = z.object({
  type: z.literal('DNS'),
  ...anyCheck,
  name: z.string().min(1),
  record_entries: z.array(z.object({
    type: z.enum(DNS_RECORD_TYPES),
    /** If empty, any record is accepted. */
    expected_values: z.array(z.string()),
    /** `exact`: exactly these values; `contains`: all of them; `any`: at least one of them. */
    match: z.enum(DNS_MATCHES),
  })).min(1),
  /** Null for the probe's system resolver. */
  server: z.object({ host: z.string().min(1), port }).nullable(),
  resolution_timeout_ms: z.int().min(1),
});
export type DnsSpec = z.infer<typeof dnsSpec>;

/** Echo requests to a host. The limits keep a probe from flooding it. */
export const icmpSpec = z.object({
  type: z.literal('ICMP'),
  ...anyCheck,
  host: z.string().min(1),
  packet_count: z.int().min(1).max(10),
  /** Bytes of data in each packet. */
  packet_size: z.int().min(0).max(1400),
  /** Timeout for each response, ms. */
  packet_timeout_ms: z.int().min(1),
  ttl: z.int().min(1).max(255),
});

const knownSpec = z.discriminatedUnion('type', [httpSpec, keywordSpec, tcpSpec, dnsSpec, icmpSpec]);
export type KnownSpec = z.infer<typeof knownSpec>;
const KNOWN_TYPES: ReadonlySet<string> = new Set(knownSpec.options.map((option) => option.shape.type.value));

/**
 * A spec this version doesn't support: an unknown type, or an unreadable spec, marked `unreadable`. Its slots
 * are `missed` with the reason `unsupported`. All fields are preserved for a version that supports it.
 */
export const otherSpec = z.looseObject({ type: z.string() })
  .transform((spec): { [field: string]: unknown; type: string } =>
    (KNOWN_TYPES.has(spec.type) ? { ...spec, unreadable: true } : spec));

export const checkSpec = z.union([knownSpec, otherSpec]);
export type CheckSpec = z.infer<typeof checkSpec>;

/** Narrows to a fully parsed spec of that type. Must be cheap: it runs before every check. */
export function isSpecOf<T extends KnownSpec['type']>(
  spec: CheckSpec, type: T,
): spec is Extract<KnownSpec, { type: T }> {
  return spec.type === type && !('unreadable' in spec);
}
