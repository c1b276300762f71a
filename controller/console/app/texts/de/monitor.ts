import type { MonitorTexts } from '../monitor.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<MonitorTexts> = {
  monitor: 'Monitor', crumbs: 'Wo Sie sind', summary: 'Überblick', since: 'seit', openIncident: 'Offener Vorfall',
  every: (duration) => `alle ${duration}`, lastCheck: 'Letzte Prüfung', more: 'Weitere Aktionen',
  upIn: (count) => (count === 1 ? 'In einer Region erreichbar' : `In allen ${count} Regionen erreichbar`),
  downIn: (down, all, names) => `Ausgefallen in ${down} von ${all}: ${names}`,
  runNow: 'Jetzt prüfen', pause: 'Anhalten', resume: 'Fortsetzen', pauseOrResume: 'Anhalten oder fortsetzen', edit: 'Bearbeiten',
  duplicate: 'Duplizieren', disable: 'Abschalten', close: 'Schließen', again: 'Noch einmal',
  running: 'Alle Regionen prüfen. Wenn ein Ziel nicht antwortet, dauert es bis zur Zeitgrenze.',
  donePause: 'Angehalten', doneResume: 'Fortgesetzt; es wird sofort geprüft', doneDisable: 'Abgeschaltet',
  deleted: (name) => `„${name}“ wurde gelöscht`, deleteTitle: (name) => `„${name}“ löschen?`,
  deleteText: 'Es wird nicht mehr geprüft, und die Ergebnisse sind weg. Die Vorfälle bleiben. Das lässt sich nicht rückgängig machen.',
  passed: 'Bestanden', slow: 'Langsam', failed: 'Fehlgeschlagen', missed: 'Nicht gelaufen',
  dns: 'Namensauflösung', connect: 'Verbindung', tls: 'TLS', first_byte: 'Erstes Byte', transfer: 'Übertragung',
  missedBecause: (reason) => `Nicht geprüft: ${reason}`,
  uptime24: 'Verfügbar, 24 Stunden', uptime30: 'Verfügbar, 30 Tage', uptime90: 'Verfügbar, 90 Tage', latestTime: 'Letzte Antwortzeit',
  last24: 'Letzte 24 Stunden', last90: 'Letzte 90 Tage', notWatched: 'nicht überwacht',
  barsTold: (label, bad, all) => `${label}: ${bad === 0 ? 'kein Ausfall' : `Ausfall in ${bad} von ${all}`}`,
  regions: 'Regionen', region: 'Region', state: 'Zustand', time: 'Antwortzeit',
  noRegion: 'Keine Region prüft diesen Monitor. Fügen Sie eine Probe hinzu oder wählen Sie andere Regionen.',
  mapLabel: (text) => `Karte. ${text}`,
  responseTimes: 'Antwortzeiten', show: 'Zeigen', figure: 'Wert', span: 'Zeitraum', outage: 'Ausfall', maintenance: 'Wartung',
  by_regions: 'Regionen', by_percentiles: 'Perzentile', by_phases: 'Phasen', allRegions: 'Alle',
  avg: 'Mittel', p50: 'Median', p95: '95. Perzentil', p99: '99. Perzentil', max: 'Langsamste',
  earlier: 'Früher', later: 'Später', closer: 'Vergrößern', farther: 'Verkleinern', whole: 'Ganzer Zeitraum',
  dragHint: 'Ziehen Sie über das Diagramm, um zu vergrößern.', sampled: 'Phasen von bis zu 20 Prüfungen für jeden von 24 Teilen dieser Zeit.',
  noTimes: 'Keine Antwortzeiten in diesem Zeitraum', asTable: 'Als Tabelle', when: 'Zeit',
  short_1h: '1 Std.', short_6h: '6 Std.', short_24h: '24 Std.', short_7d: '7 T', short_30d: '30 T', short_90d: '90 T', short_365d: '1 J',
  silent: 'Ihre Probes melden nichts', quarantined: 'Ihre Probe ist in Quarantäne', noLiveProbe: 'Keine ihrer Probes ist online',
  overload: 'Die Probe hat zu viel zu tun', blockedTarget: 'Die Probe darf dieses Ziel nicht erreichen',
  unsupported: 'Die Probe ist zu alt für diesen Typ', probeUnhealthy: 'Der Probe geht es nicht gut',
  probeDown: 'Die Probe war aus', clockJump: 'Die Uhr der Probe ist gesprungen', unreachable: 'Die Probe hat nicht geantwortet',
};

export default german;
