import type { Path } from '../../editing/fields.ts';

export const labels = {
  name: 'Name', target: 'Target', interval_seconds: 'Check every', timeout_ms: 'Timeout', method: 'Method', headers: 'Headers', body: 'Body',
  auth: 'Sign in with', expected_status: 'Accepted status', expected_status_ranges: 'Accepted status ranges',
  slow_response_threshold_ms: 'Slow from', assertions: 'The answer must also satisfy',
  'keyword_config.keywords': 'Keywords', 'keyword_config.match_mode': 'It passes with', 'keyword_config.case_sensitive': 'Upper and lower case matter',
  follow_redirects: 'Follow redirects', max_redirects: 'Redirects at most', verify_ssl: 'Verify the certificate', ip_family: 'Addresses',
  connect_to: 'Connect to', 'tcp_config.port': 'Port', 'tcp_config.protocol': 'Protocol',
  'tcp_config.protocol_validation': 'The service must speak its protocol', 'tcp_config.tls': 'TLS', 'tcp_config.send': 'Send', 'tcp_config.expect': 'Expect',
  'icmp_config.packet_count': 'Packets', 'icmp_config.packet_size': 'Data in each', 'icmp_config.timeout_ms': 'Wait for a reply', 'icmp_config.ttl': 'Hops at most',
  'dns_config.record_entries': 'Records', 'dns_config.dns_server': 'Name server', 'dns_config.resolution_timeout_ms': 'Wait for all answers',
  heartbeat_interval: 'A ping every', grace_period: 'It may be late by', monitoring_regions: 'Regions',
  'confirmation_policy.regions': 'Regions that must agree', 'confirmation_policy.retries': 'Rechecks after a failure',
  notification_target_ids: 'Alerts go to', 'ssl_monitoring.enabled': 'Warn before the certificate expires',
  'ssl_monitoring.check_validity': 'Warn of an invalid certificate', 'ssl_monitoring.check_expiry': 'Warn of its expiry',
  'ssl_monitoring.expiry_warning_days': 'Days before it expires', 'domain_monitoring.enabled': 'Warn before the domain expires',
  'domain_monitoring.expiry_warning_days': 'Days before it expires', group_id: 'Group', tags: 'Tags',
} satisfies Record<Path, string>;

/** Of fields that their label does not explain. */
export const hints = {
  name: 'Without one, it is named after its target.', target: 'What is checked: a URL, or the name or address of a host.',
  interval_seconds: 'In each region.', timeout_ms: 'Never longer than the interval.', method: '',
  headers: 'Sent with each request.', body: '', auth: 'Adds the Authorization header.',
  expected_status: 'Codes, ranges and classes, with commas between them. Without any, all that say success.', expected_status_ranges: '',
  slow_response_threshold_ms: 'A slower answer makes the monitor degraded.',
  assertions: 'All must hold. A path into JSON looks like $.order.id.', 'keyword_config.keywords': '',
  'keyword_config.match_mode': '', 'keyword_config.case_sensitive': '', follow_redirects: '', max_redirects: '',
  verify_ssl: 'Without this, an invalid certificate does not fail the check.', ip_family: 'Which addresses of the host are used.',
  connect_to: 'A host or address in place of the URL’s, as behind a load balancer. Host header and TLS name stay.',
  'tcp_config.port': '', 'tcp_config.protocol': '',
  'tcp_config.protocol_validation': 'Without this, it is enough that the connection is accepted.',
  'tcp_config.tls': 'With STARTTLS it begins by a command, for smtp, pop3, imap and ftp.',
  'tcp_config.send': 'Once connected. Escapes: \\r \\n \\t \\\\ \\xNN.', 'tcp_config.expect': 'Must occur in what the service sends. The same escapes.',
  'icmp_config.packet_count': 'Of each check; one reply is enough.', 'icmp_config.packet_size': '', 'icmp_config.timeout_ms': '', 'icmp_config.ttl': '',
  'dns_config.record_entries': 'Without values, any record will do. One value in each line.',
  'dns_config.dns_server': 'With or without :port. Without one, that of the probe’s system is asked.', 'dns_config.resolution_timeout_ms': 'Within the timeout.',
  heartbeat_interval: 'How often your job calls its URL.', grace_period: 'Then it is down.', monitoring_regions: '',
  'confirmation_policy.regions': '', 'confirmation_policy.retries': 'A region is down when these fail too.', notification_target_ids: '',
  'ssl_monitoring.enabled': '', 'ssl_monitoring.check_validity': '', 'ssl_monitoring.check_expiry': '', 'ssl_monitoring.expiry_warning_days': '',
  'domain_monitoring.enabled': 'Registries are asked once a day.', 'domain_monitoring.expiry_warning_days': '', group_id: '', tags: 'With commas between them.',
} satisfies Record<Path, string>;
