import type { Translation } from '../catalogue.ts';
import type { FieldHints } from '../monitor-fields.ts';

const german: Translation<FieldHints> = {
  name: 'Ohne Namen heißt er wie sein Ziel.', target: 'Was geprüft wird: eine URL, oder Name oder Adresse eines Rechners.',
  interval_seconds: 'In jeder Region.', timeout_ms: 'Nie länger als das Intervall.', method: '',
  headers: 'Werden mit jeder Anfrage gesendet.', body: '', auth: 'Ergänzt den Header Authorization.',
  expected_status: 'Codes, Bereiche und Klassen, mit Kommas dazwischen. Ohne Angabe alle, die Erfolg bedeuten.', expected_status_ranges: '',
  slow_response_threshold_ms: 'Eine langsamere Antwort macht den Monitor eingeschränkt.',
  assertions: 'Alles muss zutreffen. Ein Pfad in JSON sieht so aus: $.order.id.', 'keyword_config.keywords': '',
  'keyword_config.match_mode': '', 'keyword_config.case_sensitive': '', follow_redirects: '', max_redirects: '',
  verify_ssl: 'Sonst lässt ein ungültiges Zertifikat die Prüfung nicht scheitern.', ip_family: 'Welche Adressen des Rechners benutzt werden.',
  connect_to: 'Ein Rechner oder eine Adresse statt der aus der URL, wie hinter einem Lastverteiler. Host-Header und TLS-Name bleiben.',
  'tcp_config.port': '', 'tcp_config.protocol': '',
  'tcp_config.protocol_validation': 'Sonst genügt, dass die Verbindung angenommen wird.',
  'tcp_config.tls': 'Mit STARTTLS beginnt es auf Befehl, bei smtp, pop3, imap und ftp.',
  'tcp_config.send': 'Nach dem Verbinden. Sonderzeichen: \\r \\n \\t \\\\ \\xNN.', 'tcp_config.expect': 'Muss in dem vorkommen, was der Dienst sendet. Dieselben Sonderzeichen.',
  'icmp_config.packet_count': 'Je Prüfung; eine Antwort genügt.', 'icmp_config.packet_size': '', 'icmp_config.timeout_ms': '', 'icmp_config.ttl': '',
  'dns_config.record_entries': 'Ohne Werte genügt irgendein Eintrag. Ein Wert je Zeile.',
  'dns_config.dns_server': 'Mit oder ohne :port. Ohne Angabe wird der des Systems der Probe gefragt.', 'dns_config.resolution_timeout_ms': 'Innerhalb des Zeitlimits.',
  heartbeat_interval: 'Wie oft Ihr Job seine URL aufruft.', grace_period: 'Danach gilt er als ausgefallen.', monitoring_regions: '',
  'confirmation_policy.regions': '', 'confirmation_policy.retries': 'Eine Region gilt als ausgefallen, wenn auch diese scheitern.', notification_target_ids: '',
  'ssl_monitoring.enabled': '', 'ssl_monitoring.check_validity': '', 'ssl_monitoring.check_expiry': '', 'ssl_monitoring.expiry_warning_days': '',
  'domain_monitoring.enabled': 'Die Registrierungsstellen werden einmal am Tag gefragt.', 'domain_monitoring.expiry_warning_days': '', group_id: '', tags: 'Mit Kommas dazwischen.',
};

export default german;
