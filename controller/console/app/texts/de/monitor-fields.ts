import type { Translation } from '../catalogue.ts';
import type { FieldLabels } from '../monitor-fields.ts';

const german: Translation<FieldLabels> = {
  name: 'Name', target: 'Ziel', interval_seconds: 'Prüfen alle', timeout_ms: 'Zeitlimit', method: 'Methode', headers: 'Header', body: 'Inhalt',
  auth: 'Authentifizierung', expected_status: 'Erlaubte Statuscodes', expected_status_ranges: 'Erlaubte Statuscode-Bereiche',
  slow_response_threshold_ms: 'Langsam ab', slow_response_action: 'Eine langsame Antwort', assertions: 'Bedingungen',
  'keyword_config.keywords': 'Stichwörter', 'keyword_config.match_mode': 'Bestanden mit', 'keyword_config.case_sensitive': 'Groß- und Kleinschreibung beachten',
  follow_redirects: 'Weiterleitungen folgen', max_redirects: 'Maximale Weiterleitungen', verify_ssl: 'Zertifikat prüfen', ip_family: 'IP-Version',
  connect_to: 'Verbinden mit', 'tcp_config.port': 'Port', 'tcp_config.protocol': 'Protokoll',
  'tcp_config.protocol_validation': 'Protokoll prüfen', 'tcp_config.tls': 'TLS', 'tcp_config.send': 'Senden', 'tcp_config.expect': 'Erwarten',
  'icmp_config.packet_count': 'Pakete', 'icmp_config.packet_size': 'Paketgröße', 'icmp_config.timeout_ms': 'Zeitlimit der Antwort', 'icmp_config.ttl': 'Maximale Hops',
  'dns_config.record_entries': 'Einträge', 'dns_config.dns_server': 'DNS-Server', 'dns_config.resolution_timeout_ms': 'Zeitlimit der Auflösung',
  heartbeat_interval: 'Eine Meldung alle', heartbeat_schedule: 'Zeitplan', heartbeat_timezone: 'Zeitzone', grace_period: 'Karenzzeit',
  max_runtime_seconds: 'Maximale Laufzeit', slug: 'Name in Adressen', monitoring_regions: 'Regionen',
  'confirmation_policy.regions': 'Regionen, die übereinstimmen müssen', 'confirmation_policy.retries': 'Wiederholungen nach einem Fehler',
  'confirmation_policy.recoveries': 'Prüfungen bis zur Erholung',
  is_inverted: 'Die Prüfung soll fehlschlagen', notification_target_ids: 'Alarme gehen an', depends_on: 'Hängt ab von',
  alert_severity: 'Schweregrad von Vorfällen', runbook_url: 'Handbuch für Störungen', 'ssl_monitoring.enabled': 'Warnen, bevor das Zertifikat abläuft',
  'ssl_monitoring.check_validity': 'Warnen, wenn das Zertifikat ungültig ist', 'ssl_monitoring.check_expiry': 'Warnen, bevor es abläuft',
  'ssl_monitoring.expiry_warning_days': 'Tage vor dem Ablauf', 'domain_monitoring.enabled': 'Warnen, bevor die Domain abläuft',
  'domain_monitoring.expiry_warning_days': 'Tage vor dem Ablauf', group_id: 'Gruppe', tags: 'Schlagwörter',
};

export default german;
