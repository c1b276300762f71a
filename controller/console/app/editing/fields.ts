import type { FieldLabels } from '../texts/monitor-fields.ts';

export const TYPES = ['HTTP', 'KEYWORD', 'TCP', 'ICMP', 'DNS', 'HEARTBEAT'] as const;
export type MonitorType = (typeof TYPES)[number];

const WEB: readonly MonitorType[] = ['HTTP', 'KEYWORD'];
const CHECKED: readonly MonitorType[] = ['HTTP', 'KEYWORD', 'TCP', 'ICMP', 'DNS'];
const TLS: readonly MonitorType[] = ['HTTP', 'KEYWORD', 'TCP'];

interface FieldDefinition {
  /** Monitor types that have this field. */
  types: readonly MonitorType[];
  /** Initial value in a new monitor. */
  value: unknown;
  /** Sent for an empty field; without this, the value is sent as it is. */
  emptyAs?: null | '';
  /** Sent even if it has its default value. */
  isRequired?: boolean;
}

/** All user-defined settings of a monitor, by their path in the API's bodies. */
export const FIELDS = {
  name: { types: TYPES, value: '', isRequired: true },
  target: { types: CHECKED, value: '', isRequired: true },
  interval_seconds: { types: CHECKED, value: 60, isRequired: true },
  timeout_ms: { types: CHECKED, value: null },
  method: { types: WEB, value: 'GET' },
  headers: { types: WEB, value: {} },
  body: { types: WEB, value: '', emptyAs: '' },
  auth: { types: WEB, value: null },
  expected_status: { types: WEB, value: [] },
  expected_status_ranges: { types: WEB, value: [] },
  slow_response_threshold_ms: { types: WEB, value: null },
  slow_response_action: { types: WEB, value: 'degraded' },
  assertions: { types: WEB, value: [] },
  'keyword_config.keywords': { types: ['KEYWORD'], value: [{ text: '', should_contain: true }], isRequired: true },
  'keyword_config.match_mode': { types: ['KEYWORD'], value: 'all' },
  'keyword_config.case_sensitive': { types: ['KEYWORD'], value: false },
  follow_redirects: { types: WEB, value: true },
  max_redirects: { types: WEB, value: 5 },
  verify_ssl: { types: WEB, value: true },
  ip_family: { types: WEB, value: 'any' },
  connect_to: { types: WEB, value: '', emptyAs: null },
  'tcp_config.port': { types: ['TCP'], value: null, isRequired: true },
  'tcp_config.protocol': { types: ['TCP'], value: 'generic' },
  'tcp_config.protocol_validation': { types: ['TCP'], value: true },
  'tcp_config.tls': { types: ['TCP'], value: '', emptyAs: null },
  'tcp_config.send': { types: ['TCP'], value: '', emptyAs: '' },
  'tcp_config.expect': { types: ['TCP'], value: '', emptyAs: null },
  'icmp_config.packet_count': { types: ['ICMP'], value: 3 },
  'icmp_config.packet_size': { types: ['ICMP'], value: 56 },
  'icmp_config.timeout_ms': { types: ['ICMP'], value: 2000 },
  'icmp_config.ttl': { types: ['ICMP'], value: 64 },
  'dns_config.record_entries': { types: ['DNS'], value: [{ type: 'A', expected_values: [], match: 'contains' }], isRequired: true },
  'dns_config.dns_server': { types: ['DNS'], value: '', emptyAs: null },
  'dns_config.resolution_timeout_ms': { types: ['DNS'], value: 5000 },
  heartbeat_interval: { types: ['HEARTBEAT'], value: 3600, isRequired: true },
  heartbeat_schedule: { types: ['HEARTBEAT'], value: '', emptyAs: null },
  heartbeat_timezone: { types: ['HEARTBEAT'], value: 'UTC' },
  grace_period: { types: ['HEARTBEAT'], value: 300, isRequired: true },
  max_runtime_seconds: { types: ['HEARTBEAT'], value: null },
  slug: { types: ['HEARTBEAT'], value: '', emptyAs: null },
  monitoring_regions: { types: CHECKED, value: [] },
  'confirmation_policy.regions': { types: CHECKED, value: 'majority' },
  'confirmation_policy.retries': { types: CHECKED, value: 1 },
  'confirmation_policy.recoveries': { types: CHECKED, value: 0 },
  is_inverted: { types: CHECKED, value: false },
  notification_target_ids: { types: TYPES, value: [] },
  depends_on: { types: TYPES, value: [] },
  alert_severity: { types: TYPES, value: '', emptyAs: null },
  runbook_url: { types: TYPES, value: '', emptyAs: null },
  'ssl_monitoring.enabled': { types: TLS, value: false },
  'ssl_monitoring.check_validity': { types: TLS, value: true },
  'ssl_monitoring.check_expiry': { types: TLS, value: true },
  'ssl_monitoring.expiry_warning_days': { types: TLS, value: [30, 14, 7, 1] },
  'domain_monitoring.enabled': { types: CHECKED, value: false },
  'domain_monitoring.expiry_warning_days': { types: CHECKED, value: [30, 14, 7, 1] },
  group_id: { types: TYPES, value: null },
  tags: { types: TYPES, value: [] },
} as const satisfies Record<keyof FieldLabels, FieldDefinition>;

export type Path = keyof typeof FIELDS;
export const PATHS = Object.keys(FIELDS) as Path[];

/** The form's values: one for each field, whatever the type. */
export type Draft = { type: MonitorType } & Record<Path, unknown>;

export function fieldDefinition(path: Path): FieldDefinition {
  return FIELDS[path];
}
