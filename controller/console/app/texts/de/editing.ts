import type { EditingTexts } from '../editing.ts';
import type { Translation } from '../catalogue.ts';

const REASONS: Readonly<Record<string, string>> = {
  no_live_probe: 'dort ist keine Probe online', unreachable: 'ihre Probe ist nicht erreichbar',
  timeout: 'ihre Probe hat nicht rechtzeitig geantwortet', refused: 'ihre Probe hatte keinen Platz dafür',
  unsupported: 'ihre Probe kann solche Prüfungen nicht',
};

const changes = (count: number) => `${count} ${count === 1 ? 'Änderung' : 'Änderungen'}`;

const german: Translation<EditingTexts> = {
  success: 'Erreichbar', failure: 'Ausgefallen', missed: 'Nicht geprüft', noRegion: 'Keine Probe ist online, die prüfen könnte.',
  runSummary: (up, down, missed) => [
    up > 0 ? `${up} erreichbar` : '', down > 0 ? `${down} ausgefallen` : '', missed > 0 ? `${missed} nicht geprüft` : '',
  ].filter(Boolean).join(', '),
  reason: (code) => REASONS[code] ?? code,
  type: 'Was wird überwacht?', HTTP: 'Webseite oder API', KEYWORD: 'Text auf einer Seite', TCP: 'Port oder Dienst', ICMP: 'Rechner (Ping)',
  DNS: 'DNS-Einträge', HEARTBEAT: 'Job (Lebenszeichen)', HTTP_long: 'antwortet mit dem richtigen Status', KEYWORD_long: 'hat einen Text oder hat ihn nicht',
  TCP_long: 'nimmt Verbindungen an, spricht sein Protokoll', ICMP_long: 'antwortet auf Pakete', DNS_long: 'ein Name hat die richtigen Einträge',
  HEARTBEAT_long: 'meldet sich, wenn er gelaufen ist',
  what: 'Prüfung', answer: 'Antwort', request: 'Anfrage', where: 'Von wo', alerts: 'Alarme', order: 'Gruppe und Schlagwörter', packets: 'Pakete', moreFields: 'Mehr',
  ms: 'ms', s: 's', bytes: 'Bytes', days: 'Tage', range: (from, to) => `${from} bis ${to}.`, upTo: (most) => `Höchstens ${most}.`,
  most: (count) => `Höchstens ${count} Einträge.`, usual: (value) => `Sonst: ${value}.`,
  remove: 'Eintrag entfernen', value: 'Wert', addHeader: 'Header hinzufügen', headerName: 'Name',
  noAuth: 'Nichts', basic: 'Benutzername und Passwort', bearer: 'Token (Bearer)', username: 'Benutzername', password: 'Passwort', token: 'Token',
  addKeyword: 'Stichwort hinzufügen', keyword: 'Text', must: 'Bedingung', contains: 'enthält', containsNot: 'enthält nicht',
  allKeywords: 'allen', anyKeyword: 'irgendeinem',
  addAssertion: 'Bedingung hinzufügen', source: 'Teil', body: 'Inhalt', header: 'Header', json: 'JSON', property: 'Welcher', comparison: 'Vergleich',
  equals: 'ist', not_equals: 'ist nicht', not_contains: 'enthält nicht', greater_than: 'ist größer als',
  less_than: 'ist kleiner als', exists: 'ist vorhanden', absent: 'fehlt',
  addRecord: 'Eintrag hinzufügen', recordType: 'Typ', match: 'Vergleich', matchAll: 'hat alle von', matchExact: 'ist genau', matchAny: 'hat eines von',
  expected: 'Werte, einer je Zeile', generic: 'beliebig (generic)', usualTls: 'wie für den Port üblich', anyFamily: 'IPv4 oder IPv6',
  automatic: 'Nichts gewählt: Farwatch wählt die Regionen selbst.', noProbe: 'keine Probe online', byDefault: 'Standard',
  defaultDestinations: 'Nichts gewählt: die Standardziele.', destinationsHidden: 'Wohin Alarme gehen, wählen die Administratoren des Projekts.',
  noGroup: 'Keine Gruppe', majority: 'mehr als die Hälfte', anyRegion: 'irgendeine', allRegions: 'alle', regionsOf: (count) => `${count} Regionen`,
  policy: (quorum, needed, regions, failures) => {
    const who = quorum === 'any' || needed === 1 ? 'irgendeine Region es sagt'
      : needed === null ? `${quorum === 'all' ? 'alle Regionen' : 'mehr als die Hälfte der Regionen'} es sagen`
        : `${needed}${regions > 0 ? ` von ${regions}` : ''} Regionen es sagen`;
    return `Ausgefallen, wenn ${who}, jede nach ${failures === 1 ? 'einer gescheiterten Prüfung' : `${failures} gescheiterten Prüfungen hintereinander`}.`;
  },
  test: 'Test', testNow: 'Jetzt testen', testLong: 'Einmal so prüfen, wie es hier steht, aus den gewählten Regionen. Nichts wird gespeichert.',
  create: 'Anlegen', review: (count) => (count === 0 ? 'Nichts geändert' : `${changes(count)} ansehen`),
  saveChanges: (count) => `${changes(count)} speichern?`, field: 'Feld', before: 'Vorher', after: 'Nachher', nothing: 'nichts',
  duplicate: 'Monitor kopieren', copyOf: (name) => [...`${name} (Kopie)`].slice(0, 255).join(''), edit: 'Bearbeiten', editing: (name) => `${name} bearbeiten`,
  created: (name) => `${name} wird überwacht.`, saved: (name) => `${name} ist gespeichert.`,
  mayNot: 'Ihre Rolle in diesem Projekt erlaubt nicht, Monitore zu ändern.',
  importTitle: 'Import und Export', importLong: 'Monitore, Gruppen und Statusseiten als eine Datei in YAML oder JSON. Was die Datei nicht nennt, bleibt, wie es ist.',
  exportFile: 'Als YAML exportieren', file: 'Datei', document: 'Dokument', documentHint: 'Wählen Sie eine Datei, oder fügen Sie ihren Text ein.',
  preview: 'Zeigen, was sich ändern würde', importNow: (count) => `${changes(count)} importieren`, nothingToImport: 'Alles ist schon so, wie das Dokument sagt.',
  imported: (count) => `${changes(count)} importiert.`,
  summary: (created, updated, unchanged) => `${created} neu, ${updated} geändert, ${unchanged} wie bisher`,
  groups: 'Gruppen', monitors: 'Monitore', status_pages: 'Statusseiten', isNew: 'neu', isChanged: 'geändert',
};

export default german;
