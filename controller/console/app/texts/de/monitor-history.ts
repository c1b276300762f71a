import type { HistoryTexts } from '../monitor-history.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<HistoryTexts> = {
  history: 'Verlauf', incidents: 'Vorfälle', incident: 'Vorfall', states: 'Zustände', startedAt: 'Beginn', duration: 'Dauer',
  reason: 'Grund', ongoing: 'dauert an', soFar: 'bisher', noIncident: 'Bisher kein Vorfall', noState: 'Noch nicht geprüft',
  policy: 'Andere Regel ausprobieren', policyText: 'Spielen Sie die gespeicherten Ergebnisse mit einer anderen Bestätigungsregel nach und sehen Sie, welche Vorfälle sie eröffnet hätte.',
  regions: 'Ausfall nötig in', majority: 'der Mehrheit der Regionen', any: 'einer beliebigen Region', all: 'allen Regionen', regionsAgree: (count) => `${count} Regionen`,
  retries: 'Wiederholungen, bis eine Region als ausgefallen gilt', days: 'Tage', replay: 'Nachspielen', simulatedIncidents: 'Vorfälle mit dieser Regel', actualIncidents: 'Tatsächliche Vorfälle',
  noneInReplay: 'Keine', since: 'Ergebnisse gespeichert seit', nothingStored: 'Für diesen Zeitraum sind keine Ergebnisse gespeichert.',
};

export default german;
