import type { HeartbeatTexts } from '../heartbeats.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<HeartbeatTexts> = {
  pings: 'Meldungen', lastPing: 'Letzte Meldung', noPing: 'bisher keine', expected: 'Erwartet', dueBy: 'Überfällig ab',
  everyWithin: (interval, grace) => `alle ${interval}, Karenzzeit ${grace}`,
  bySchedule: (cron, timezone, grace) => `${cron} (${timezone}), Karenzzeit ${grace}`,
  maxRuntime: 'Maximale Laufzeit', pingAddress: 'Befehl für die Meldung',
  pingHint: 'Um auch Laufzeiten und Fehler zu erfassen, melden Sie Start und Exit-Code des Jobs:',
  byName: 'Adresse mit dem Namen des Monitors anzeigen', byNameHint: 'Mit dem Ping-Schlüssel des Projekts und dem Kurznamen des Monitors:',
  nextDue: 'Nächste Termine in Ihrer Zeitzone', noDueTimes: 'Geben Sie fünf Felder ein: Minute, Stunde, Tag, Monat und Wochentag.',
  latest: 'Letzte Meldungen', latestHint: 'Die neuesten 100 werden aufbewahrt.', showAll: 'Alle anzeigen', noPings: 'Noch keine Meldungen', at: 'Empfangen', kind: 'Bericht',
  success: 'Erfolg', fail: 'Fehler', start: 'Start', log: 'Protokoll', exitCode: (code) => `Exit-Code ${code}`,
  duration: 'Dauer', source: 'Von', run: (id) => `Lauf ${id}`, output: 'Ausgabe',
  key: 'Ping-Schlüssel', keyOf: (project) => `Ping-Schlüssel von ${project}`, keyText: 'Jobs nutzen diesen Schlüssel und den Namen eines Monitors in ihrer Adresse und können damit Monitore anlegen.',
  showKey: 'Schlüssel anzeigen', rotate: 'Erneuern', rotateTitle: 'Ping-Schlüssel erneuern?',
  rotateText: 'Alle Jobs, die sich mit einem Namen melden, brauchen den neuen Schlüssel. Der alte gilt sofort nicht mehr.', rotated: 'Ping-Schlüssel erneuert',
};

export default german;
