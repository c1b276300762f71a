import type { IncidentTexts } from '../incidents.ts';
import type { Translation } from '../catalogue.ts';

const QUORUMS: Readonly<Record<string, string>> = {
  majority: 'Mehrheit der Regionen', any: 'eine Region', all: 'alle Regionen',
};

const german: Translation<IncidentTexts> = {
  title: 'Vorfälle', open: 'Offen', acknowledged: 'Bestätigt', resolved: 'Behoben', closed: 'Geschlossen', all: 'Alle',
  critical: 'Kritisch', major: 'Schwer', minor: 'Leicht', warning: 'Warnung',
  search: 'Vorfälle suchen', status: 'Status', severity: 'Schwere', incident: 'Vorfall', began: 'Beginn', lasted: 'Dauer',
  where: 'Wo', none: 'Keine Vorfälle', noneLong: 'Soweit diese Filter reichen, ist nichts gestört und war es auch nicht.',
  noneFiltered: 'Kein Vorfall passt zu diesen Filtern.', clearFilters: 'Alle zeigen', more: 'Mehr zeigen', source: 'Eröffnet von',
  system: 'Prüfungen', manual: 'Person', found: (count) => (count === '1' ? '1 Vorfall' : `${count} Vorfälle`),
  acknowledge: 'Bestätigen', resolve: 'Beheben', close: 'Endgültig schließen', assign: 'Zuweisen', assignee: 'Zugewiesen an',
  note: 'Notiz für den Verlauf',
  stillDown: 'Ist der Monitor in 5 Minuten noch gestört, wird ein neuer Vorfall eröffnet und alarmiert.', acknowledgedBy: (name) => `Bestätigt von ${name}`,
  checksEnd: 'Die Prüfungen beheben ihn von selbst, sobald das Ziel wieder antwortet.', monitor: 'Monitor', error: 'Was fehlschlug',
  regions: 'Regionen', failures: 'Fehlgeschlagene Prüfungen', started: 'Beginn', ended: 'Ende',
  late: 'Spät gefunden: Erst nachträglich eingetroffene Ergebnisse zeigten ihn. Niemand wurde alarmiert.',
  inMaintenance: 'Er begann in einem Wartungsfenster.', votes: 'Wer wie gestimmt hat', votesDown: 'Zu Beginn', votesUp: 'Am Ende',
  noVotes: 'Zu diesem Vorfall sind keine Stimmen aufbewahrt.', policy: (regions, retries) => `Regel: ${QUORUMS[regions] ?? `${regions} Regionen`}, ${retries}`, retries: (count) => (count === 1 ? '1 Wiederholung' : `${count} Wiederholungen`),
  region: 'Region', vote: 'Stimme', why: 'Warum', at: 'Wann', attempt: 'Fehler in Folge', up: 'erreichbar', down: 'ausgefallen', silent: 'keine Stimme',
  same_fault_domain: 'gleiches Netz wie eine andere', unassigned: 'nicht zugeteilt', quarantined: 'in Quarantäne',
  silentWeight: 'still', timeline: 'Verlauf', truncated: 'Es gibt mehr, als hier gezeigt wird.', showResults: 'Jede Prüfung zeigen',
  deliveries: 'Verschickte Alarme', noDeliveries: 'Zu diesem Vorfall wurde kein Alarm verschickt.', recipient: 'Empfänger',
  attempts: 'Versuche', pending: 'Ausstehend', delivered: 'Zugestellt', failed: 'Fehlgeschlagen', bounced: 'Abgewiesen',
  tries: (count, most) => `${count} von ${most}`, comments: 'Kommentare', comment: 'Kommentar', addComment: 'Kommentieren',
  edit: 'Bearbeiten', remove: 'Löschen', save: 'Speichern', cancel: 'Abbrechen', deleted: 'Gelöscht',
  removeAsk: 'Diesen Kommentar löschen?', postmortem: 'Nachbetrachtung', writePostmortem: 'Nachbetrachtung schreiben', preview: 'Vorschau',
  noPostmortem: 'Noch hat niemand aufgeschrieben, was daraus zu lernen ist.', markdown: 'Markdown: Überschriften, Listen, Links, Code.',
  by: (name) => `von ${name}`, report: 'Vorfall melden', titleField: 'Titel', titleHint: '10 bis 500 Zeichen',
  errorField: 'Was gestört ist', affected: 'Monitor', noMonitor: 'Kein Monitor', reportHint: 'Für das, was Prüfungen nicht sehen. Er verschickt keine Alarme, und nur Menschen beheben ihn.',
  resolvedToast: 'Behoben', acknowledgedToast: 'Bestätigt', closedToast: 'Geschlossen', savedToast: 'Gespeichert', next: 'Nächster Vorfall',
  previous: 'Voriger Vorfall', back: 'Alle Vorfälle', checkFailed: 'Prüfung fehlgeschlagen', checkOk: 'Prüfung gelungen',
  checkMissed: 'Prüfung ausgefallen', stateBecame: (state) => `Neuer Zustand: ${state}`, created: 'Vorfall eröffnet',
  statusBecame: (status) => `Neuer Status: ${status}`, fieldChanged: (field, to) => `${field}: ${to}`,
  regionBecame: (region, state) => `${region}: ${state}`, alertTo: (channel, recipient) => `Alarm per ${channel} an ${recipient}`,
  commented: (name) => `${name} hat kommentiert`, type: 'Art',
};

export default german;
