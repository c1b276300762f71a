import type { HistoryTexts } from '../monitor-history.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<HistoryTexts> = {
  history: 'Verlauf', incidents: 'Vorfälle', incident: 'Vorfall', states: 'Zustände', began: 'Beginn', lasted: 'Dauer',
  reason: 'Grund', open: 'dauert an', lasts: 'bisher', noIncident: 'Bisher kein Vorfall', noState: 'Noch nicht geprüft',
  policy: 'Andere Regel ausprobieren', policyLong: 'Spielen Sie die gespeicherten Ergebnisse mit einer anderen Bestätigungsregel nach und sehen Sie, welche Vorfälle sie eröffnet hätte.',
  regions: 'Ausfall nötig in', majority: 'der Mehrheit der Regionen', any: 'einer beliebigen Region', every: 'allen Regionen', atLeast: (count) => `${count} Regionen`,
  retries: 'Wiederholungen, bis eine Region als ausgefallen gilt', days: 'Tage', replay: 'Nachspielen', would: 'Vorfälle mit dieser Regel', were: 'Tatsächliche Vorfälle',
  noneThen: 'Keine', since: 'Ergebnisse gespeichert seit', nothingStored: 'Für diesen Zeitraum sind keine Ergebnisse gespeichert.',
};

export default german;
