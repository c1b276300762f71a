import type { CheckTexts } from '../checks.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<CheckTexts> = {
  checks: 'Prüfungen', filters: 'Prüfungen filtern', outcome: 'Ergebnis', all: 'Alle', failed: 'Fehlgeschlagen', passed: 'Bestanden', before: 'Vor',
  none: 'Keine Prüfungen', noneLong: 'In dieser Zeit gab es keine, oder keine passt zum Filter.', older: 'Ältere laden',
  late: 'verspätet', probe: 'Probe', received: 'Verspätet erhalten', evidence: 'Was zu sehen war', thisCheck: 'Fehlgeschlagen', lastGood: 'Zuletzt gut',
  noGood: 'Keine gute Prüfung bekannt', earlierEvidence: 'Die Probe hat festgehalten, was sie vorher bei diesem Fehler sah:',
  phases: 'Phasen', statusLine: 'Statuszeile', address: 'Adresse', addresses: 'Alle Adressen', certificate: 'Zertifikat',
  body: 'Inhalt', same: 'gleich',
};

export default german;
