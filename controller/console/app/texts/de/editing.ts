import type { EditingTexts } from '../editing.ts';
import type { Translation } from '../catalogue.ts';

const changes = (count: number) => `${count} ${count === 1 ? 'Änderung' : 'Änderungen'}`;

const german: Translation<EditingTexts> = {
  success: 'Erreichbar', failure: 'Ausgefallen', missed: 'Nicht geprüft', noRegion: 'Keine Probe ist online, die diese Prüfung ausführen kann.',
  runSummary: (up, down, missed) => [
    up > 0 ? `${up} erreichbar` : '', down > 0 ? `${down} ausgefallen` : '', missed > 0 ? `${missed} nicht geprüft` : '',
  ].filter(Boolean).join(', '),
  type: 'Was möchten Sie überwachen?', HTTP: 'Webseite oder API', KEYWORD: 'Text auf einer Seite', TCP: 'Port oder Dienst', ICMP: 'Host (Ping)',
  DNS: 'DNS-Einträge', HEARTBEAT: 'Job (Heartbeat)', HTTP_long: 'Antwortet mit dem erwarteten Status', KEYWORD_long: 'Enthält einen bestimmten Text oder nicht',
  TCP_long: 'Nimmt Verbindungen an und spricht sein Protokoll', ICMP_long: 'Antwortet auf Pings', DNS_long: 'Haben die erwarteten Werte',
  HEARTBEAT_long: 'Meldet sich nach jedem Lauf bei Farwatch',
  pingsDue: 'Meldungen sind fällig', atInterval: 'in einem Abstand', bySchedule: 'nach einem Cron-Zeitplan',
  check: 'Prüfung', response: 'Antwort', request: 'Anfrage', where: 'Standorte', alerts: 'Alarme', groupAndTags: 'Gruppe und Schlagwörter', packets: 'Pakete', moreFields: 'Weitere Optionen',
  ms: 'ms', s: 's', bytes: 'Bytes', days: 'Tage', range: (from, to) => `${from} bis ${to}.`, upTo: (limit) => `Höchstens ${limit}.`,
  maxEntries: (count) => `Höchstens ${count} Einträge.`, defaultValue: (value) => `Standard: ${value}.`,
  remove: 'Eintrag entfernen', value: 'Wert', addHeader: 'Header hinzufügen', headerName: 'Name',
  noAuth: 'Keine', basic: 'Benutzername und Passwort', bearer: 'Bearer-Token', username: 'Benutzername', password: 'Passwort', token: 'Token',
  addKeyword: 'Stichwort hinzufügen', keyword: 'Text', condition: 'Bedingung', contains: 'enthält', containsNot: 'enthält nicht',
  allKeywords: 'allen Stichwörtern', anyKeyword: 'mindestens einem Stichwort',
  addAssertion: 'Bedingung hinzufügen', source: 'Quelle', body: 'Inhalt', header: 'Header', json: 'JSON', property: 'Eigenschaft', comparison: 'Vergleich',
  equals: 'ist', not_equals: 'ist nicht', not_contains: 'enthält nicht', greater_than: 'ist größer als',
  less_than: 'ist kleiner als', exists: 'ist vorhanden', absent: 'fehlt',
  addRecord: 'Eintrag hinzufügen', recordType: 'Typ', match: 'Vergleich', matchAll: 'enthält alle', matchExact: 'ist genau', matchAny: 'enthält mindestens eines',
  expected: 'Werte, einer pro Zeile', slowDegrades: 'schränkt den Monitor ein', slowFails: 'ist ein Fehler', severityByType: 'nach Art des Fehlers', generic: 'beliebig (generic)', defaultTls: 'Standard für den Port', anyFamily: 'IPv4 oder IPv6',
  automatic: 'Keine Regionen ausgewählt. Farwatch wählt sie automatisch.', noProbe: 'keine Probe online', byDefault: 'Standard',
  defaultDestinations: 'Keine ausgewählt. Alarme gehen an die Standardziele.', destinationsHidden: 'Wohin Alarme gehen, legen die Admins des Projekts fest.',
  noGroup: 'Keine Gruppe', majority: 'Mehrheit', anyRegion: 'eine beliebige Region', allRegions: 'alle Regionen', regionsOf: (count) => `${count} Regionen`,
  policy: (quorum, needed, regions, failures) => {
    const where = quorum === 'any' || needed === 1 ? 'einer beliebigen Region'
      : needed === null ? (quorum === 'all' ? 'allen Regionen' : 'der Mehrheit der Regionen')
        : `${needed}${regions > 0 ? ` von ${regions}` : ''} Regionen`;
    return `Ausgefallen, wenn in ${where} ${failures === 1 ? 'eine Prüfung fehlschlägt' : `${failures} Prüfungen in Folge fehlschlagen`}.`;
  },
  test: 'Test', testNow: 'Jetzt testen', testText: 'Führt eine Prüfung mit diesen Einstellungen aus den gewählten Regionen aus. Nichts wird gespeichert.',
  create: 'Anlegen', review: (count) => (count === 0 ? 'Keine Änderungen' : `${changes(count)} ansehen`),
  saveChanges: (count) => `${changes(count)} speichern?`, field: 'Feld', before: 'Vorher', after: 'Nachher', nothing: 'keine Angabe',
  duplicate: 'Monitor duplizieren', copyOf: (name) => [...`${name} (Kopie)`].slice(0, 255).join(''), edit: 'Bearbeiten', editing: (name) => `${name} bearbeiten`,
  created: (name) => `${name} wird jetzt überwacht.`, saved: (name) => `${name} gespeichert.`,
  noPermission: 'Sie dürfen in diesem Projekt keine Monitore bearbeiten.',
  importTitle: 'Import und Export', importText: 'Importieren oder exportieren Sie Monitore und alle anderen Einstellungen des Projekts als YAML oder JSON. Ein Import ändert nichts, was nicht in der Datei steht.',
  exportFile: 'Als YAML exportieren', file: 'Datei', document: 'Dokument', documentHint: 'Wählen Sie eine Datei oder fügen Sie ihren Inhalt ein.',
  preview: 'Änderungen ansehen', importNow: (count) => `${changes(count)} importieren`, nothingToImport: 'Nichts zu importieren. Alles in diesem Dokument ist schon auf dem neuesten Stand.',
  imported: (count) => `${changes(count)} importiert.`,
  summary: (created, updated, unchanged) => `${created} neu, ${updated} geändert, ${unchanged} unverändert`,
  groups: 'Gruppen', monitors: 'Monitore', status_pages: 'Statusseiten', integrations: 'Ziele', variables: 'Variablen', maintenance_windows: 'Wartungsfenster', isNew: 'neu', isChanged: 'geändert',
  fromTool: 'Aus einem anderen Werkzeug', tool: 'Werkzeug', table: 'CSV-Tabelle', toolFile: 'Datei des Werkzeugs', convert: 'Umwandeln',
  toolFileHint: 'Eine Datenbank von Uptime Kuma, eine Konfiguration in YAML, eine Antwort der Listen-API des Dienstes in JSON oder eine Tabelle. Bis zu 64 MB. Noch wird nichts gespeichert.',
  full: 'vollständig', partial: 'teilweise', skipped: 'ausgelassen', checkDocument: 'Das Dokument unten können Sie importieren.',
  reported: (full, partial, skipped) => `${full} vollständig, ${partial} teilweise, ${skipped} ausgelassen.`,
  furtherItems: (count) => `Und ${count} weitere.`, fileTooLarge: 'Die Datei ist größer als 64 MB. Entfernen Sie die Historie der Ergebnisse aus einer Kopie.',
};

export default german;
