import type { CheckTexts } from '../checks.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<CheckTexts> = {
  checks: 'Prüfungen', filters: 'Prüfungen filtern', outcome: 'Ergebnis', all: 'Alle', failed: 'Fehlgeschlagen', passed: 'Bestanden', before: 'Vor',
  none: 'Keine Prüfungen gefunden', noneText: 'In diesem Zeitraum gab es keine Prüfungen, oder keine passt zu den Filtern.', older: 'Ältere Prüfungen laden',
  late: 'verspätet', probe: 'Probe', received: 'Empfangen', evidence: 'Belege', thisCheck: 'Fehlgeschlagene Prüfung', lastGood: 'Letzte erfolgreiche Prüfung',
  noGood: 'Keine erfolgreiche Prüfung aufgezeichnet', earlierEvidence: 'Das hat die Probe bei einer früheren Prüfung mit demselben Fehler festgehalten:',
  phases: 'Phasen', statusLine: 'Statuszeile', address: 'Adresse', addresses: 'Alle Adressen', certificate: 'Zertifikat',
  body: 'Inhalt', same: 'unverändert',
};

export default german;
