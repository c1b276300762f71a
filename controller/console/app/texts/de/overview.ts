import type { Translation } from '../catalogue.ts';
import type { OverviewTexts } from '../overview.ts';

const monitors = (count: number) => (count === 1 ? 'Einen Monitor' : `${count} Monitore`);

const german: Translation<OverviewTexts> = {
  title: 'Monitore', search: 'Nach Name, Ziel oder Schlagwort suchen', all: 'Alle',
  state: 'Zustand', type: 'Art', tag: 'Schlagwort', region: 'Region', group: 'Gruppieren', sort: 'Sortieren', span: 'Verlauf',
  none: 'Nicht gruppiert', tree: 'Gruppen', bystate: 'Zustand', bytag: 'Schlagwort', bytype: 'Art', byregion: 'Region',
  name: 'Name', since: 'Letzte Änderung', last: 'Letzte Prüfung', time: 'Antwortzeit', uptime: 'Verfügbar',
  '24h': '24 Stunden', '90d': '90 Tage', reverse: 'Reihenfolge umkehren', noData: 'keine Daten',
  uptimeOf: (span, uptime) => `Verfügbarkeit, ${span}: ${uptime}`,
  timesOf: (min, max) => `Antwortzeiten der letzten 24 Stunden: ${min} bis ${max}`,
  monitors: 'Monitore', shown: (shown, all) => (shown === all ? `${all} ${all === '1' ? 'Monitor' : 'Monitore'}` : `${shown} von ${all} Monitoren`),
  select: (name) => `${name} auswählen`, selectAll: 'Alle auswählen', selected: (count) => `${count} ausgewählt`,
  clear: 'Auswahl aufheben', pause: 'Pausieren', resume: 'Fortsetzen', move: 'Verschieben …', addTag: 'Schlagwort …', delete: 'Löschen',
  paused: (count) => `${count} pausiert`, resumed: (count) => `${count} fortgesetzt`,
  moved: (count) => `${count} verschoben`, tagged: (count) => `${count} mit Schlagwort versehen`,
  deleted: (count) => `${count} gelöscht`,
  refused: (count, why) => `${count} ${count === 1 ? 'konnte' : 'konnten'} nicht geändert werden: ${why}`,
  deleteTitle: (count) => `${monitors(count)} löschen?`,
  deleteText: 'Die Prüfungen enden, und der Verlauf wird gelöscht. Das lässt sich nicht rückgängig machen.',
  moveTitle: (count) => `${monitors(count)} verschieben`, tagTitle: (count) => `${monitors(count)} mit Schlagwort versehen`,
  toGroup: 'Gruppe', noGroup: 'Keine Gruppe', dependencies: 'Abhängigkeiten', dependenciesOf: (name) => `Abhängigkeiten von ${name}`, newTags: 'Schlagwörter, durch Kommas getrennt',
  noTag: 'Ohne Schlagwort', noRegion: 'Ohne Region',
  downFor: (where) => `in ${where}`, neverChecked: 'noch nicht geprüft', incident: 'Vorfall',
  emptyTitle: 'Noch keine Monitore', emptyText: 'Fügen Sie Ihren ersten Monitor hinzu. Das erste Ergebnis sehen Sie nach Sekunden.',
  first: 'Monitor hinzufügen', import: 'Importieren', noMatches: 'Kein Monitor passt zu den Filtern', showAll: 'Filter zurücksetzen',
  nextKey: 'Nächster Monitor', previousKey: 'Voriger Monitor', selectKey: 'Monitor auswählen', searchKey: 'Monitore suchen',
  allKey: 'Alle angezeigten auswählen', clearKey: 'Auswahl aufheben', wall: 'Wandansicht',
  nothingDown: 'Nichts ist ausgefallen', wallStale: (since) => `Veraltet: seit ${since} keine Verbindung zum Server`, wallMore: (count) => `und ${count} weitere`,
  openKey: 'Monitor ansehen', loadingMore: (read, all) => `${read} von ${all} geladen`,
};

export default german;
