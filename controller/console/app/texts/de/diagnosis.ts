import type { DiagnosisTexts } from '../diagnosis.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<DiagnosisTexts> = {
  diagnosis: 'Diagnose', diagnosed: 'Diagnostiziert',
  soon: 'Probes untersuchen das Ziel. Die Diagnose erscheint hier innerhalb einer Minute.',
  none: 'Zu diesem Vorfall gibt es keine Diagnose.',
  target: 'Problem beim Ziel', path: 'Problem auf dem Netzwerkpfad', dns: 'Problem mit DNS',
  certificate: 'Problem mit dem Zertifikat', edge: 'Problem im Netz des Ziels', probe: 'Problem bei der Probe',
  unknown: 'Ursache unklar', unknownHint: 'Für eine Schlussfolgerung sind zwei unabhängige Beobachtungen nötig.',
  observations: 'Beobachtungen', decidedBy: 'Grundlage', paths: 'Pfad aus jeder Region', noRegions: 'Keine Region konnte das Ziel untersuchen.',
  seesUp: 'Ziel erreichbar', seesDown: 'Ziel ausgefallen',
  probeStop: 'Probe', targetStop: 'Ziel', noAddress: 'keine Adresse', hop: 'Hop',
  silent: (count) => (count === 1 ? 'Keine Antwort' : `${count} Hops, keine Antwort`),
  untraced: 'Pfad nicht ermittelt', break_name: 'Der Name lässt sich nicht auflösen', break_path: 'Ab hier keine Antwort',
  break_target: 'Erreicht, aber die Prüfung schlägt fehl', break_unknown: 'Unbekannt, wo der Pfad abbricht',
  details: 'Adressen, Nameserver und TLS nach Region', region: 'Region', addresses: 'Adressen', servers: 'Nameserver',
  families: 'Adressfamilien', tls: 'TLS', up: 'erreichbar', down: 'ausgefallen', absent: 'keine Adresse',
  validTo: (at) => `gültig bis ${at}`, more: (count) => `${count} weitere`, allRegions: (count) => `Alle ${count} Regionen anzeigen`,
  diagnoseNow: 'Jetzt diagnostizieren',
  running: 'DNS, Netzwerkpfad, Adressen und Zertifikat werden geprüft. Das dauert bis zu 15 Sekunden.',
  limit: 'Pro Monitor ist alle 10 Minuten eine Diagnose möglich.',
  earlier: 'Dies ist die letzte Diagnose.',
};

export default german;
