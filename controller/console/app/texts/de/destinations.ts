import type { DestinationTexts } from '../destinations.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<DestinationTexts> = {
  sent: 'Was hierher verschickt wurde', nothingSent: 'Hierher wurde noch nichts verschickt.', event: 'Ereignis', recipient: 'Empfänger',
  attempts: 'Versuche', when: 'Wann', outcome: 'Ausgang',
  title: 'Alarme', destination: 'Ziel', add: 'Neues Ziel', none: 'Noch wird niemand alarmiert',
  noneLong: 'Legen Sie fest, wohin Alarme gehen: an Mailadressen, einen Slack-Kanal oder einen eigenen Webhook.',
  noDefault: 'Kein Ziel ist Standard: Monitore ohne eigenes Ziel alarmieren niemanden.',
  adminsOnly: 'Nur Admins dieses Projekts sehen, wohin seine Alarme gehen', back: 'Alle Ziele', state: 'Zustand',
  lastDelivered: 'Zuletzt zugestellt', never: 'nie', healthy: 'Stellt zu', failing: 'Gestört', unknown: 'Noch nicht benutzt', off: 'Aus',
  failingFor: 'gestört seit', stopped: (who) => `Haben diese Mails selbst abbestellt: ${who}`,
  email: 'Mail', slack: 'Slack', webhook: 'Webhook', kind: 'Art', default: 'Standard', enabled: 'Eingeschaltet',
  enabledOf: (name) => `Alarme an ${name} senden`, enabledHint: 'Ist es aus, wird nichts dorthin gesendet.',
  isDefault: 'Standard', isDefaultHint: 'Bekommt die Alarme aller Monitore, die kein Ziel nennen.', name: 'Name',
  recipients: 'Empfänger', recipientsHint: 'Bis zu 20 Mailadressen, eine pro Zeile.', url: 'URL', urlHint: 'Erhält für jeden Alarm eine signierte Anfrage.',
  slackUrl: 'Webhook-URL', slackUrlHint: 'Eingehender Webhook des Kanals. Wer sie kennt, kann dort schreiben.',
  method: 'Methode', headers: 'Header', headersHint: 'Einer pro Zeile, in der Form „Name: Wert“.',
  events: 'Gemeldete Ereignisse', outages: 'Ausfälle', warnings: 'Warnungen', data: 'Fehlende Ergebnisse', probes: 'Eigene Probes',
  'monitor.down': 'Ein Monitor fällt aus', 'monitor.up': 'Er ist wieder erreichbar', 'monitor.ssl_expiring': 'Ein Zertifikat läuft bald ab',
  'monitor.domain_expiring': 'Eine Domain läuft bald ab', 'monitor.slow_response': 'Antworten werden langsam',
  'monitor.slow_response_resolved': 'Antworten sind wieder schnell', 'monitor.region_degraded': 'Einzelne Regionen sehen einen Ausfall',
  'monitor.no_data': 'Es kommen keine Ergebnisse', 'monitor.no_data_resolved': 'Ergebnisse kommen wieder', 'probe.offline': 'Eine Probe ist offline',
  'probe.online': 'Sie ist wieder online', 'probe.quarantined': 'Eine Probe ist in Quarantäne', 'probe.released': 'Sie ist wieder frei',
  create: 'Anlegen', created: 'Angelegt. Senden Sie einen Test, um die Zustellung zu sehen.', saved: 'Gespeichert', deleted: 'Gelöscht',
  deleteAsk: (name) => `${name} löschen?`, deleteLong: 'Alarme, die noch dorthin gehen sollten, entfallen.',
  test: 'Test senden', sending: 'Wird gesendet …', arrived: 'Zugestellt', notArrived: 'Nicht zugestellt', secret: 'Signaturschlüssel',
  secretLong: 'Jede Anfrage ist damit signiert, sodass der Empfänger unsere von anderen unterscheiden kann.', showSecret: 'Schlüssel zeigen',
  rotate: 'Ersetzen', rotateAsk: 'Signaturschlüssel ersetzen?', rotated: 'Ersetzt',
  rotateLong: 'Anfragen sind sofort mit dem neuen signiert. Empfänger, die den alten prüfen, werden sie ablehnen.',
};

export default german;
