import type { IncidentTexts } from '../incidents.ts';
import type { Translation } from '../catalogue.ts';

const QUORUMS: Readonly<Record<string, string>> = {
  majority: 'Mehrheit der Regionen', any: 'eine Region', all: 'alle Regionen',
};

const german: Translation<IncidentTexts> = {
  title: 'Vorfälle', open: 'Offen', acknowledged: 'Bestätigt', resolved: 'Behoben', closed: 'Geschlossen', all: 'Alle',
  critical: 'Kritisch', major: 'Schwer', minor: 'Leicht', warning: 'Warnung',
  search: 'Vorfälle suchen', status: 'Status', severity: 'Schwere', incident: 'Vorfall', startedAt: 'Beginn', duration: 'Dauer',
  where: 'Regionen', none: 'Keine Vorfälle', noneText: 'Vorfälle erscheinen hier, wenn ein Monitor ausfällt.',
  noneFiltered: 'Kein Vorfall passt zu den Filtern.', clearFilters: 'Filter zurücksetzen', more: 'Mehr anzeigen', source: 'Eröffnet von',
  system: 'Prüfungen', manual: 'Person', found: (count) => (count === '1' ? '1 Vorfall' : `${count} Vorfälle`),
  acknowledge: 'Bestätigen', resolve: 'Beheben', close: 'Endgültig schließen', assign: 'Zuweisen', assignee: 'Zugewiesen an',
  note: 'Notiz für den Verlauf',
  stillDown: 'Wenn der Monitor in 5 Minuten noch ausgefallen ist, wird ein neuer Vorfall eröffnet, der Alarme sendet.', acknowledgedBy: (name) => `Bestätigt von ${name}`,
  autoResolveHint: 'Wird automatisch als behoben markiert, sobald das Ziel wieder erreichbar ist.', runbook: 'Handbuch öffnen', monitor: 'Monitor', error: 'Fehler',
  regions: 'Regionen', failures: 'Fehlgeschlagene Prüfungen', started: 'Beginn', ended: 'Ende',
  late: 'Aus Ergebnissen erkannt, die erst nach dem Ausfall eintrafen. Es wurde kein Alarm gesendet.',
  held: 'Zurückgehalten: wartet auf', inMaintenance: 'Begann während eines Wartungsfensters.', votes: 'Stimmen der Regionen', votesDown: 'Zu Beginn', votesUp: 'Am Ende',
  noVotes: 'Zu diesem Vorfall sind keine Stimmen gespeichert.', policy: (regions, retries) => `Regel: ${QUORUMS[regions] ?? (regions === 1 ? '1 Region' : `${regions} Regionen`)}, ${retries}`, retries: (count) => (count === 1 ? '1 Wiederholung' : `${count} Wiederholungen`),
  region: 'Region', vote: 'Stimme', reason: 'Grund', time: 'Zeit', attempt: 'Fehler in Folge', up: 'erreichbar', down: 'ausgefallen', silent: 'keine Stimme',
  same_fault_domain: 'gleiches Netz wie eine andere Region', unassigned: 'nicht zugeteilt', quarantined: 'in Quarantäne',
  silentWeight: 'nicht gezählt', timeline: 'Verlauf', truncated: 'Einige Einträge werden nicht angezeigt.', showResults: 'Alle Prüfungen anzeigen',
  deliveries: 'Gesendete Alarme', noDeliveries: 'Zu diesem Vorfall wurde kein Alarm gesendet.', recipient: 'Empfänger',
  attempts: 'Versuche', pending: 'Ausstehend', delivered: 'Zugestellt', failed: 'Fehlgeschlagen', bounced: 'Abgewiesen',
  suppressed: 'Nicht gesendet',
  attemptsOf: (count, max) => `${count} von ${max}`, comments: 'Kommentare', comment: 'Kommentar', addComment: 'Kommentieren',
  edit: 'Bearbeiten', remove: 'Löschen', save: 'Speichern', cancel: 'Abbrechen', deleted: 'Gelöscht',
  removeTitle: 'Diesen Kommentar löschen?', postmortem: 'Postmortem', writePostmortem: 'Postmortem schreiben', preview: 'Vorschau',
  noPostmortem: 'Noch kein Postmortem. Halten Sie fest, was passiert ist und was Sie daraus gelernt haben.', markdown: 'Unterstützt Markdown: Überschriften, Listen, Links und Code.',
  by: (name) => `von ${name}`, report: 'Vorfall melden', titleField: 'Titel', titleHint: '10–500 Zeichen.',
  errorField: 'Was gestört ist', affected: 'Monitor', noMonitor: 'Kein Monitor', reportHint: 'Für Störungen, die Prüfungen nicht erkennen. Gemeldete Vorfälle senden keine Alarme und enden nicht automatisch.',
  resolvedToast: 'Behoben', acknowledgedToast: 'Bestätigt', closedToast: 'Geschlossen', savedToast: 'Gespeichert', next: 'Nächster Vorfall',
  previous: 'Voriger Vorfall', back: 'Alle Vorfälle', checkFailed: 'Prüfung fehlgeschlagen', checkOk: 'Prüfung erfolgreich',
  checkMissed: 'Prüfung entfallen', stateChanged: (state) => `Neuer Zustand: ${state}`, created: 'Vorfall eröffnet',
  statusChanged: (status) => `Neuer Status: ${status}`, fieldChanged: (field, to) => `${field}: ${to}`,
  regionChanged: (region, state) => `${region}: ${state}`, alertTo: (channel, recipient) => `Alarm per ${channel} an ${recipient}`,
  commented: (name) => `${name} hat kommentiert`, type: 'Art',
};

export default german;
