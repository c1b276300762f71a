import type { MonitorTexts } from '../monitor.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<MonitorTexts> = {
  monitor: 'Monitor', summary: 'Überblick', since: 'seit', openIncident: 'Vorfall ansehen',
  every: (duration) => `alle ${duration}`, lastCheck: 'Letzte Prüfung', more: 'Weitere Aktionen',
  upIn: (count) => (count === 1 ? 'In einer Region erreichbar' : `In allen ${count} Regionen erreichbar`),
  downIn: (down, all, names) => `Ausgefallen in ${down} von ${all} ${all === 1 ? 'Region' : 'Regionen'}: ${names}`,
  runNow: 'Jetzt prüfen', pause: 'Pausieren', resume: 'Fortsetzen', pauseOrResume: 'Pausieren oder fortsetzen', edit: 'Bearbeiten',
  duplicate: 'Duplizieren', disable: 'Deaktivieren', close: 'Schließen', again: 'Erneut prüfen',
  running: 'Prüfung aus allen Regionen läuft. Wenn das Ziel nicht antwortet, dauert sie bis zum Zeitlimit.',
  donePause: 'Pausiert', doneResume: 'Fortgesetzt. Die Prüfungen beginnen sofort.', doneDisable: 'Deaktiviert',
  deleted: (name) => `„${name}“ wurde gelöscht`, deleteTitle: (name) => `„${name}“ löschen?`,
  deleteText: 'Die Prüfungen enden, und alle Ergebnisse werden gelöscht. Die Vorfälle bleiben. Das lässt sich nicht rückgängig machen.',
  passed: 'Bestanden', slow: 'Langsam', failed: 'Fehlgeschlagen', missed: 'Nicht ausgeführt',
  dns: 'Namensauflösung', connect: 'Verbindung', tls: 'TLS', first_byte: 'Erstes Byte', transfer: 'Übertragung',
  uptime24: 'Verfügbarkeit, 24 Stunden', uptime30: 'Verfügbarkeit, 30 Tage', uptime90: 'Verfügbarkeit, 90 Tage', latestTime: 'Letzte Antwortzeit',
  last24: 'Letzte 24 Stunden', last90: 'Letzte 90 Tage', notMonitored: 'nicht überwacht',
  barsLabel: (label, bad, all) => `${label}: ${bad === 0 ? 'kein Ausfall' : `Ausfall in ${bad} von ${all}`}`,
  regions: 'Regionen', region: 'Region', state: 'Zustand', time: 'Antwortzeit',
  noRegion: 'Keine Region prüft diesen Monitor. Fügen Sie eine Probe hinzu oder wählen Sie andere Regionen.',
  mapLabel: (text) => `Karte. ${text}`,
  responseTimes: 'Antwortzeiten', show: 'Anzeigen', figure: 'Messwert', span: 'Zeitraum', outage: 'Ausfall', maintenance: 'Wartung',
  by_regions: 'Regionen', by_percentiles: 'Perzentile', by_phases: 'Phasen', allRegions: 'Alle',
  avg: 'Mittel', p50: 'Median', p95: '95. Perzentil', p99: '99. Perzentil', max: 'Langsamste',
  earlier: 'Früher', later: 'Später', closer: 'Vergrößern', farther: 'Verkleinern', whole: 'Zoom zurücksetzen',
  dragHint: 'Ziehen Sie über das Diagramm, um zu vergrößern.', sampled: 'Phasen sind Stichproben: bis zu 20 Prüfungen in jedem von 24 Abschnitten.',
  pointIs: (duration, isOfOneRegion) => `Jeder Punkt fasst alle Prüfungen aus ${duration}${isOfOneRegion ? ' in einer Region' : ''} zusammen.`,
  noTimes: 'Keine Antwortzeiten in diesem Zeitraum', asTable: 'Als Tabelle anzeigen', when: 'Zeit',
  short_1h: '1 h', short_6h: '6 h', short_24h: '24 h', short_7d: '7 d', short_30d: '30 d', short_90d: '90 d', short_365d: '1 J',
  settings: 'Einstellungen', runTimes: 'Laufzeiten',
  silent: 'Keine Daten von den Probes', quarantined: 'Probe in Quarantäne', noProbeOnline: 'Keine Probe online',
  overload: 'Probe überlastet', blockedTarget: 'Probe darf dieses Ziel nicht erreichen',
  unsupported: 'Probe unterstützt diesen Prüfungstyp nicht', probeUnhealthy: 'Probe gestört',
  probeDown: 'Probe war ausgefallen', clockJump: 'Uhr der Probe ist gesprungen', unreachable: 'Probe nicht erreichbar',
  timedOut: 'Probe hat nicht rechtzeitig geantwortet', refused: 'Probe ausgelastet',
};

export default german;
