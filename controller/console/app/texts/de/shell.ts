import type { ShellTexts } from '../shell.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<ShellTexts> = {
  overview: 'Monitore', incidents: 'Vorfälle', fleet: 'Probes', destinations: 'Alarme', pages: 'Statusseiten',
  maintenance: 'Wartung', settings: 'Einstellungen', wall: 'Wandansicht', newMonitor: 'Neuer Monitor',
  mainNavigation: 'Hauptmenü', back: 'Zurück', skip: 'Zum Inhalt', menu: 'Menü', account: 'Konto', project: 'Projekt',
  signOut: 'Abmelden', theme: 'Darstellung', system: 'System', light: 'Hell', dark: 'Dunkel', language: 'Sprache',
  live: 'Live', connecting: 'Verbinden …', offline: 'Offline',
  unreachable: 'Der Server ist nicht erreichbar. Wir versuchen es weiter.',
  offlineText: 'Der Server ist nicht erreichbar. Die Anzeige ist möglicherweise veraltet. Wir versuchen es weiter.',
  search: 'Suchen oder springen zu …', palette: 'Befehle', noCommand: 'Keine Treffer', go: 'Gehe zu',
  actions: 'Aktionen', monitors: 'Monitore', shortcuts: 'Tastenkürzel', shortcutsHint: 'Tastenkürzel anzeigen',
  general: 'Global', thisView: 'Auf dieser Seite', close: 'Schließen', cancel: 'Abbrechen', retry: 'Erneut versuchen', save: 'Speichern',
  delete: 'Löschen', undo: 'Rückgängig', copy: 'Kopieren', copied: 'Kopiert', loading: 'Lädt',
  notLoaded: 'Dieser Teil der Konsole konnte nicht geladen werden. Vielleicht wurde der Server inzwischen aktualisiert.',
  failed: 'Etwas ist schiefgegangen', fixFields: 'Korrigieren Sie die markierten Felder.', invalid: 'Einige Angaben sind ungültig.',
  retryIn: (duration) => `Versuchen Sie es in ${duration} erneut.`, request: (id) => `Anfrage ${id}`, notFound: 'Seite nicht gefunden',
  notFoundText: 'Sie wurde vielleicht gelöscht oder gehört zu einem anderen Projekt.', allMonitors: 'Alle Monitore',
  managedBy: (owner) => `Verwaltet durch ${owner}. Das nächste Apply überschreibt Änderungen, die hier gemacht werden.`, editAnyway: 'Trotzdem bearbeiten',
  leaveUnsaved: 'Sie haben ungespeicherte Änderungen. Seite verlassen?',
  up: 'Erreichbar', down: 'Ausgefallen', degraded: 'Eingeschränkt', unknown: 'Unbekannt', paused: 'Pausiert',
  disabled: 'Deaktiviert', maintenanceState: 'Wartung', optional: 'optional', justNow: 'gerade eben', ago: (duration) => `vor ${duration}`, ahead: (duration) => `in ${duration}`,
  apiReference: 'API-Referenz', utc: (text) => `${text} UTC`,
};

export default german;
