import type { Path } from '../../editing/fields.ts';

export const labels = {
  name: 'Name', target: 'Target', interval_seconds: 'Check every', timeout_ms: 'Timeout', method: 'Method', headers: 'Headers', body: 'Body',
  auth: 'Authentication', expected_status: 'Accepted status codes', expected_status_ranges: 'Accepted status code ranges',
  slow_response_threshold_ms: 'Slow response threshold', assertions: 'Assertions',
  'keyword_config.keywords': 'Keywords', 'keyword_config.match_mode': 'Match', 'keyword_config.case_sensitive': 'Case-sensitive',
  follow_redirects: 'Follow redirects', max_redirects: 'Maximum redirects', verify_ssl: 'Verify the certificate', ip_family: 'IP version',
  connect_to: 'Connect to', 'tcp_config.port': 'Port', 'tcp_config.protocol': 'Protocol',
  'tcp_config.protocol_validation': 'Validate the protocol', 'tcp_config.tls': 'TLS', 'tcp_config.send': 'Send', 'tcp_config.expect': 'Expect',
  'icmp_config.packet_count': 'Packets', 'icmp_config.packet_size': 'Packet size', 'icmp_config.timeout_ms': 'Reply timeout', 'icmp_config.ttl': 'Maximum hops',
  'dns_config.record_entries': 'Records', 'dns_config.dns_server': 'DNS server', 'dns_config.resolution_timeout_ms': 'Resolution timeout',
  heartbeat_interval: 'Expect a ping every', grace_period: 'Grace period', monitoring_regions: 'Regions',
  'confirmation_policy.regions': 'Regions that must agree', 'confirmation_policy.retries': 'Rechecks after a failure',
  notification_target_ids: 'Send alerts to', 'ssl_monitoring.enabled': 'Warn before the certificate expires',
  'ssl_monitoring.check_validity': 'Warn if the certificate is invalid', 'ssl_monitoring.check_expiry': 'Warn before it expires',
  'ssl_monitoring.expiry_warning_days': 'Days before expiry', 'domain_monitoring.enabled': 'Warn before the domain expires',
  'domain_monitoring.expiry_warning_days': 'Days before expiry', group_id: 'Group', tags: 'Tags',
} satisfies Record<Path, string>;

/** For fields whose label needs an explanation. */
export const hints = {
  name: 'Defaults to the target.', target: 'A URL, hostname or IP address.',
  interval_seconds: 'In each region.', timeout_ms: 'Can’t exceed the interval.', method: '',
  headers: 'Sent with every request.', body: '', auth: 'Adds the Authorization header.',
  expected_status: 'Codes, ranges and classes, separated by commas. Leave empty to accept any success status.', expected_status_ranges: '',
  slow_response_threshold_ms: 'Slower responses mark the monitor as degraded.',
  assertions: 'All must pass. JSON paths look like $.order.id.', 'keyword_config.keywords': '',
  'keyword_config.match_mode': '', 'keyword_config.case_sensitive': '', follow_redirects: '', max_redirects: '',
  verify_ssl: 'When off, an invalid certificate doesn’t fail the check.', ip_family: 'Which of the host’s addresses to use.',
  connect_to: 'Connect to this host or address instead of the URL’s, for example behind a load balancer. The Host header and TLS server name don’t change.',
  'tcp_config.port': '', 'tcp_config.protocol': '',
  'tcp_config.protocol_validation': 'When off, an accepted connection is enough.',
  'tcp_config.tls': 'STARTTLS works with smtp, pop3, imap and ftp.',
  'tcp_config.send': 'Sent after connecting. Escapes: \\r \\n \\t \\\\ \\xNN.', 'tcp_config.expect': 'Must appear in what the service sends. Same escapes.',
  'icmp_config.packet_count': 'Per check. One reply is enough.', 'icmp_config.packet_size': '', 'icmp_config.timeout_ms': '', 'icmp_config.ttl': '',
  'dns_config.record_entries': 'Without values, any record passes. One value per line.',
  'dns_config.dns_server': 'With or without :port. Defaults to the probe’s system resolver.', 'dns_config.resolution_timeout_ms': 'Can’t exceed the timeout.',
  heartbeat_interval: 'How often your job pings its URL.', grace_period: 'How late a ping can be before the monitor goes down.', monitoring_regions: '',
  'confirmation_policy.regions': '', 'confirmation_policy.retries': 'A region counts as down if these fail too.', notification_target_ids: '',
  'ssl_monitoring.enabled': '', 'ssl_monitoring.check_validity': '', 'ssl_monitoring.check_expiry': '', 'ssl_monitoring.expiry_warning_days': '',
  'domain_monitoring.enabled': 'Registries are queried once a day.', 'domain_monitoring.expiry_warning_days': '', group_id: '', tags: 'Separate with commas.',
} satisfies Record<Path, string>;
