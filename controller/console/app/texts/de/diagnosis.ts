import type { DiagnosisTexts } from '../diagnosis.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<DiagnosisTexts> = {
  diagnosis: 'Diagnose', diagnosed: 'Diagnostiziert',
  soon: 'Noch keine Diagnose. Probes, für die das Ziel ausgefallen und für die es erreichbar ist, untersuchen es. Das Ergebnis erscheint hier innerhalb einer Minute.',
  none: 'Zu diesem Vorfall gibt es keine Diagnose. Farwatch diagnostiziert Ausfälle, die Probes bestätigt haben.',
  target: 'Problem beim Ziel', path: 'Problem auf dem Netzwerkpfad', dns: 'Problem mit DNS',
  certificate: 'Problem mit dem Zertifikat', edge: 'Problem im Netz der Ziele', probe: 'Problem bei der Probe',
  unknown: 'Kein Schluss möglich', unknownHint: 'Farwatch zieht keinen Schluss ohne zwei unabhängige Beobachtungen.',
  observations: 'Beobachtungen', decidedBy: 'Entscheidende Beobachtungen', paths: 'Pfad aus jeder Region', noRegions: 'Keine Region hat das Ziel untersucht.',
  seesUp: 'Ziel erreichbar', seesDown: 'Ziel ausgefallen',
  probeStop: 'Probe', targetStop: 'Ziel', noAddress: 'keine Adresse', hop: 'Hop',
  silent: (count) => (count === 1 ? 'Keine Antwort' : `${count} Hops, keine Antwort`),
  untraced: 'Pfad nicht ermittelt', break_name: 'Keine Adresse zum Namen gefunden', break_path: 'Ab hier keine Antwort',
  break_target: 'Erreicht, aber die Prüfung schlägt hier fehl', break_unknown: 'Unbekannt, wo der Pfad abbricht',
  details: 'Adressen, Nameserver und TLS nach Region', region: 'Region', addresses: 'Adressen', servers: 'Nameserver',
  families: 'Adressfamilien', tls: 'TLS', up: 'erreichbar', down: 'ausgefallen', absent: 'keine Adresse',
  validTo: (at) => `gültig bis ${at}`, more: (count) => `${count} weitere`, allRegions: (count) => `Alle ${count} Regionen anzeigen`,
  diagnoseNow: 'Jetzt diagnostizieren',
  running: 'Probes untersuchen das Ziel: seine Namen, den Pfad dorthin, seine Adressen und sein Zertifikat. Das dauert bis zu 15 Sekunden.',
  limit: 'Ein Monitor wird höchstens einmal in 10 Minuten diagnostiziert. Bis dahin sehen Sie die letzte Diagnose.',
  earlier: 'Dies ist die letzte Diagnose.',
};

export default german;
