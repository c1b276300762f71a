import type { DestinationTexts } from '../destinations.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<DestinationTexts> = {
  recentDeliveries: 'Zustellungen', nothingSent: 'An dieses Ziel wurde noch kein Alarm gesendet.', event: 'Ereignis', recipient: 'Empfänger',
  attempts: 'Versuche', when: 'Wann', outcome: 'Ergebnis',
  title: 'Alarme', destination: 'Ziel', add: 'Neues Ziel', none: 'Noch keine Ziele',
  noneText: 'Fügen Sie ein Ziel hinzu, um Alarme per E-Mail, in Slack oder über einen eigenen Webhook zu erhalten.',
  noDefault: 'Es gibt kein Standardziel. Monitore ohne eigene Ziele senden keine Alarme.',
  adminsOnly: 'Nur Admins des Projekts sehen, wohin Alarme gehen', back: 'Alle Ziele', state: 'Zustand',
  lastDelivered: 'Zuletzt zugestellt', never: 'nie', healthy: 'In Ordnung', failing: 'Gestört', unknown: 'Noch nicht verwendet', off: 'Deaktiviert',
  failingFor: 'gestört seit', stopped: (who) => `Haben diese E-Mails selbst abbestellt: ${who}`,
  kind: 'Art', default: 'Standard', enabled: 'Aktiviert',
  enabledOf: (name) => `Alarme an ${name} senden`, enabledHint: 'Ein deaktiviertes Ziel erhält keine Alarme.',
  isDefault: 'Standard', isDefaultHint: 'Gilt für alle Monitore ohne eigene Ziele.', name: 'Name',
  events: 'Ereignisse', outages: 'Ausfälle', warnings: 'Warnungen', data: 'Fehlende Ergebnisse', probes: 'Eigene Probes',
  'monitor.down': 'Monitor ausgefallen', 'monitor.up': 'Monitor wieder erreichbar', 'monitor.ssl_expiring': 'Zertifikat läuft bald ab',
  'monitor.domain_expiring': 'Domain läuft bald ab', 'monitor.slow_response': 'Langsame Antworten',
  'monitor.slow_response_resolved': 'Antwortzeiten wieder normal', 'monitor.region_degraded': 'Ausfall in einzelnen Regionen',
  'monitor.no_data': 'Keine Ergebnisse', 'monitor.no_data_resolved': 'Wieder Ergebnisse', 'probe.offline': 'Probe offline',
  'probe.online': 'Probe wieder online', 'probe.quarantined': 'Probe in Quarantäne', 'probe.released': 'Probe aus der Quarantäne entlassen',
  'incident.acknowledged': 'Vorfall bestätigt', 'incident.resolved': 'Vorfall manuell behoben',
  conditions: 'Welche Alarme, und wann', filter: 'Nur bestimmte Alarme', filterHint: 'Ein Alarm muss zu allem passen, was Sie hier wählen.',
  tags: 'Tags', tagsHint: 'Durch Kommas getrennt. Monitore mit einem davon.', severities: 'Schweregrade', groups: 'Gruppen mit Untergruppen',
  noGroups: 'Noch keine Gruppen.', monitors: 'Monitore', timing: 'Zeit', minutes: 'Minuten', delay: 'Verzögerung',
  delayHint: 'Ein Ausfall wird nur gesendet, wenn er so lange dauert und niemand ihn bestätigt hat.', reminder: 'Erinnern alle',
  reminderHint: 'Ein Ausfall wird wiederholt, bis ihn jemand bestätigt.', hours: 'Nur zu bestimmten Zeiten',
  hoursHint: 'Auch Entwarnungen warten bis zur nächsten Öffnung.', hoursFrom: 'Von', hoursTo: 'Bis', timeZone: 'Zeitzone',
  outside: 'Außerhalb dieser Zeiten', hold: 'Bis zur nächsten Öffnung zurückhalten', drop: 'Nicht senden',
  create: 'Anlegen', created: 'Ziel angelegt. Senden Sie einen Testalarm, um die Zustellung zu prüfen.', saved: 'Gespeichert', deleted: 'Gelöscht',
  deleteTitle: (name) => `${name} löschen?`, deleteText: 'Ausstehende Alarme an dieses Ziel werden verworfen.',
  test: 'Testalarm senden', sending: 'Wird gesendet …', arrived: 'Zugestellt', notArrived: 'Nicht zugestellt', secret: 'Signaturschlüssel',
  secretText: 'Jede Anfrage ist mit diesem Schlüssel signiert. So kann der Empfänger prüfen, dass sie von Farwatch kommt.', showSecret: 'Schlüssel anzeigen',
  rotate: 'Ersetzen', rotateTitle: 'Signaturschlüssel ersetzen?', rotated: 'Schlüssel ersetzt',
  rotateText: 'Neue Anfragen werden sofort mit dem neuen Schlüssel signiert. Empfänger, die noch den alten verwenden, lehnen sie ab.',
};

export default german;
