import type { Translation } from '../catalogue.ts';
import type { FieldHints } from '../monitor-fields.ts';

const german: Translation<FieldHints> = {
  name: 'Standard: das Ziel.', target: 'Eine URL, ein Hostname oder eine IP-Adresse.',
  interval_seconds: 'In jeder Region.', timeout_ms: 'Höchstens so lang wie das Intervall.', method: '',
  headers: 'Werden mit jeder Anfrage gesendet.', body: '', auth: 'Ergänzt den Header Authorization.',
  expected_status: 'Codes, Bereiche und Klassen, durch Kommas getrennt. Leer lassen, um jeden Erfolgsstatus zu akzeptieren.', expected_status_ranges: '',
  slow_response_threshold_ms: '', slow_response_action: '',
  assertions: 'Alle müssen zutreffen. JSON-Pfade sehen so aus: $.order.id.', 'keyword_config.keywords': '',
  'keyword_config.match_mode': '', 'keyword_config.case_sensitive': '', follow_redirects: '', max_redirects: '',
  verify_ssl: 'Wenn aus, schlägt die Prüfung bei einem ungültigen Zertifikat nicht fehl.', ip_family: 'Welche Adressen des Hosts verwendet werden.',
  connect_to: 'Verbindet mit diesem Host oder dieser Adresse statt mit der URL, etwa hinter einem Load-Balancer. Host-Header und TLS-Servername ändern sich nicht.',
  'tcp_config.port': '', 'tcp_config.protocol': '',
  'tcp_config.protocol_validation': 'Wenn aus, genügt eine angenommene Verbindung.',
  'tcp_config.tls': 'STARTTLS funktioniert mit smtp, pop3, imap und ftp.',
  'tcp_config.send': 'Wird nach dem Verbinden gesendet. Sonderzeichen: \\r \\n \\t \\\\ \\xNN.', 'tcp_config.expect': 'Muss in der Antwort des Dienstes vorkommen. Dieselben Sonderzeichen.',
  'icmp_config.packet_count': 'Pro Prüfung. Eine Antwort genügt.', 'icmp_config.packet_size': '', 'icmp_config.timeout_ms': '', 'icmp_config.ttl': '',
  'dns_config.record_entries': 'Ohne Werte genügt irgendein Eintrag. Ein Wert pro Zeile.',
  'dns_config.dns_server': 'Mit oder ohne :port. Standard: der Resolver des Systems der Probe.', 'dns_config.resolution_timeout_ms': 'Höchstens so lang wie das Zeitlimit.',
  heartbeat_interval: 'Wie oft Ihr Job seine URL aufruft.', heartbeat_schedule: 'Die Zeitfelder der Crontab-Zeile des Jobs.', heartbeat_timezone: '',
  grace_period: 'Wie spät eine Meldung kommen darf, bevor der Monitor als ausgefallen gilt.',
  max_runtime_seconds: 'Ein Lauf, der begonnen hat und länger dauert, ist ein Fehler.', slug: 'Standard: aus dem Namen des Monitors. Kleinbuchstaben, Ziffern, Bindestriche und Unterstriche.', monitoring_regions: '',
  'confirmation_policy.regions': '', 'confirmation_policy.retries': 'Eine Region gilt als ausgefallen, wenn auch diese fehlschlagen.',
  'confirmation_policy.recoveries': 'So viele müssen nach der ersten guten in Folge gelingen. Der Ausfall endet mit der ersten.',
  is_inverted: 'Der Monitor gilt als ausgefallen, solange das Ziel wie eingestellt antwortet.', notification_target_ids: '',
  depends_on: 'Solange einer dieser Monitore ausgefallen ist, werden die Alarme dieses Monitors zurückgehalten.',
  alert_severity: '', runbook_url: 'Alarme und Vorfälle verlinken diese Adresse.',
  'ssl_monitoring.enabled': '', 'ssl_monitoring.check_validity': '', 'ssl_monitoring.check_expiry': '', 'ssl_monitoring.expiry_warning_days': '',
  'domain_monitoring.enabled': 'Die Registrierungsstellen werden einmal am Tag abgefragt.', 'domain_monitoring.expiry_warning_days': '', group_id: '', tags: 'Mit Kommas trennen.',
};

export default german;
