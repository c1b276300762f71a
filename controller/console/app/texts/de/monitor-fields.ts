import type { Translation } from '../catalogue.ts';
import type { FieldLabels } from '../monitor-fields.ts';

const german: Translation<FieldLabels> = {
  name: 'Name', target: 'Ziel', interval_seconds: 'Prüfen alle', timeout_ms: 'Zeitlimit', method: 'Methode', headers: 'Header', body: 'Inhalt',
  auth: 'Anmelden mit', expected_status: 'Erlaubter Status', expected_status_ranges: 'Erlaubte Statusbereiche',
  slow_response_threshold_ms: 'Langsam ab', assertions: 'Die Antwort muss auch erfüllen',
  'keyword_config.keywords': 'Stichwörter', 'keyword_config.match_mode': 'Bestanden mit', 'keyword_config.case_sensitive': 'Groß- und Kleinschreibung zählt',
  follow_redirects: 'Weiterleitungen folgen', max_redirects: 'Höchstzahl von Weiterleitungen', verify_ssl: 'Zertifikat prüfen', ip_family: 'Adressen',
  connect_to: 'Verbinden mit', 'tcp_config.port': 'Port', 'tcp_config.protocol': 'Protokoll',
  'tcp_config.protocol_validation': 'Der Dienst muss sein Protokoll sprechen', 'tcp_config.tls': 'TLS', 'tcp_config.send': 'Senden', 'tcp_config.expect': 'Erwarten',
  'icmp_config.packet_count': 'Pakete', 'icmp_config.packet_size': 'Daten in jedem', 'icmp_config.timeout_ms': 'Auf eine Antwort warten', 'icmp_config.ttl': 'Höchstzahl von Stationen',
  'dns_config.record_entries': 'Einträge', 'dns_config.dns_server': 'Nameserver', 'dns_config.resolution_timeout_ms': 'Auf alle Antworten warten',
  heartbeat_interval: 'Eine Meldung alle', grace_period: 'Höchste Verspätung', monitoring_regions: 'Regionen',
  'confirmation_policy.regions': 'Regionen, die übereinstimmen müssen', 'confirmation_policy.retries': 'Wiederholungen nach einem Fehler',
  notification_target_ids: 'Alarme gehen an', 'ssl_monitoring.enabled': 'Warnen, bevor das Zertifikat abläuft',
  'ssl_monitoring.check_validity': 'Vor ungültigem Zertifikat warnen', 'ssl_monitoring.check_expiry': 'Vor seinem Ablauf warnen',
  'ssl_monitoring.expiry_warning_days': 'Tage vor dem Ablauf', 'domain_monitoring.enabled': 'Warnen, bevor die Domain abläuft',
  'domain_monitoring.expiry_warning_days': 'Tage vor dem Ablauf', group_id: 'Gruppe', tags: 'Schlagwörter',
};

export default german;
