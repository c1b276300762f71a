export const TYPES = ['HTTP', 'KEYWORD', 'TCP', 'ICMP', 'DNS', 'HEARTBEAT'] as const;
export type MonitorType = (typeof TYPES)[number];

const WEB: readonly MonitorType[] = ['HTTP', 'KEYWORD'];
const CHECKED: readonly MonitorType[] = ['HTTP', 'KEYWORD', 'TCP', 'ICMP', 'DNS'];
const TLS: readonly MonitorType[] = ['HTTP', 'KEYWORD', 'TCP'];

interface FieldFacts {
  /** The types of monitors that have it. */
  of: readonly MonitorType[];
  /** In a new monitor. */
  value: unknown;
  /** How the API is told that there is none; a field without this is sent as it is. */
  none?: null | '';
  /** Sent also when it has its default. */
  isRequired?: boolean;
}

/** All that a person decides about a monitor, by its path in the API's bodies. */
export const FIELDS = {
  name: { of: TYPES, value: '', isRequired: true },
  target: { of: CHECKED, value: '', isRequired: true },
  interval_seconds: { of: CHECKED, value: 60, isRequired: true },
  timeout_ms: { of: CHECKED, value: null },
  method: { of: WEB, value: 'GET' },
  headers: { of: WEB, value: {} },
  body: { of: WEB, value: '', none: '' },
  auth: { of: WEB, value: null },
  expected_status: { of: WEB, value: [] },
  expected_status_ranges: { of: WEB, value: [] },
  slow_response_threshold_ms: { of: WEB, value: null },
  assertions: { of: WEB, value: [] },
  'keyword_config.keywords': { of: ['KEYWORD'], value: [{ text: '', should_contain: true }], isRequired: true },
  'keyword_config.match_mode': { of: ['KEYWORD'], value: 'all' },
  'keyword_config.case_sensitive': { of: ['KEYWORD'], value: false },
  follow_redirects: { of: WEB, value: true },
  max_redirects: { of: WEB, value: 5 },
  verify_ssl: { of: WEB, value: true },
  ip_family: { of: WEB, value: 'any' },
  connect_to: { of: WEB, value: '', none: null },
  'tcp_config.port': { of: ['TCP'], value: null, isRequired: true },
  'tcp_config.protocol': { of: ['TCP'], value: 'generic' },
  'tcp_config.protocol_validation': { of: ['TCP'], value: true },
  'tcp_config.tls': { of: ['TCP'], value: '', none: null },
  'tcp_config.send': { of: ['TCP'], value: '', none: '' },
  'tcp_config.expect': { of: ['TCP'], value: '', none: null },
  'icmp_config.packet_count': { of: ['ICMP'], value: 3 },
  'icmp_config.packet_size': { of: ['ICMP'], value: 56 },
  'icmp_config.timeout_ms': { of: ['ICMP'], value: 2000 },
  'icmp_config.ttl': { of: ['ICMP'], value: 64 },
  'dns_config.record_entries': { of: ['DNS'], value: [{ type: 'A', expected_values: [], match: 'contains' }], isRequired: true },
  'dns_config.dns_server': { of: ['DNS'], value: '', none: null },
  'dns_config.resolution_timeout_ms': { of: ['DNS'], value: 5000 },
  heartbeat_interval: { of: ['HEARTBEAT'], value: 3600, isRequired: true },
  grace_period: { of: ['HEARTBEAT'], value: 300, isRequired: true },
  monitoring_regions: { of: CHECKED, value: [] },
  'confirmation_policy.regions': { of: CHECKED, value: 'majority' },
  'confirmation_policy.retries': { of: CHECKED, value: 1 },
  notification_target_ids: { of: TYPES, value: [] },
  'ssl_monitoring.enabled': { of: TLS, value: false },
  'ssl_monitoring.check_validity': { of: TLS, value: true },
  'ssl_monitoring.check_expiry': { of: TLS, value: true },
  'ssl_monitoring.expiry_warning_days': { of: TLS, value: [30, 14, 7, 1] },
  'domain_monitoring.enabled': { of: CHECKED, value: false },
  'domain_monitoring.expiry_warning_days': { of: CHECKED, value: [30, 14, 7, 1] },
  group_id: { of: TYPES, value: null },
  tags: { of: TYPES, value: [] },
} as const satisfies Record<string, FieldFacts>;

export type Path = keyof typeof FIELDS;
export const PATHS = Object.keys(FIELDS) as Path[];

/** What the form holds: a value for each field, whatever the type. */
export type Draft = { type: MonitorType } & Record<Path, unknown>;

export function factsOf(path: Path): FieldFacts {
  return FIELDS[path];
}
