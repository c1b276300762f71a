import type { HistoryTexts } from '../monitor-history.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<HistoryTexts> = {
  history: 'Verlauf', incidents: 'Vorfälle', incident: 'Vorfall', states: 'Zustände', startedAt: 'Beginn', duration: 'Dauer',
  reason: 'Grund', ongoing: 'dauert an', soFar: 'bisher', noIncident: 'Noch keine Vorfälle', noState: 'Noch nicht geprüft',
  policy: 'Regel simulieren', policyText: 'Wenden Sie eine andere Bestätigungsregel auf die gespeicherten Ergebnisse an und sehen Sie, welche Vorfälle sie eröffnet hätte.',
  regions: 'Ausgefallen bei Fehlern in', majority: 'der Mehrheit der Regionen', any: 'einer beliebigen Region', all: 'allen Regionen', regionsAgree: (count) => `${count} Regionen`,
  retries: 'Wiederholungen nach einem Fehler', recoveries: 'Prüfungen bis zur Erholung', days: 'Tage', replay: 'Simulieren', simulatedIncidents: 'Vorfälle mit dieser Regel', actualIncidents: 'Tatsächliche Vorfälle',
  noneInReplay: 'Keine', since: 'Ergebnisse gespeichert seit', nothingStored: 'Für diesen Zeitraum sind keine Ergebnisse gespeichert.',
};

export default german;
