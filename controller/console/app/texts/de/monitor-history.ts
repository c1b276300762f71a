import type { HistoryTexts } from '../monitor-history.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<HistoryTexts> = {
  history: 'Verlauf', incidents: 'Vorfälle', incident: 'Vorfall', states: 'Zustände', began: 'Beginn', lasted: 'Dauer',
  reason: 'Warum', open: 'noch offen', lasts: 'bisher', noIncident: 'Bisher kein Vorfall', noState: 'Noch nicht geprüft',
  policy: 'Regel ausprobieren', policyLong: 'Spielt die gespeicherten Ergebnisse mit einer anderen Bestätigungsregel nach: Welche Vorfälle hätte es gegeben?',
  regions: 'Ausgefallen, wenn', majority: 'die meisten Regionen es sagen', any: 'eine Region es sagt', every: 'alle Regionen es sagen', atLeast: (count) => `${count} Regionen es sagen`,
  retries: 'Fehlgeschlagene Wiederholungen, bis eine Region als ausgefallen gilt', days: 'Tage', replay: 'Nachspielen', would: 'Vorfälle mit dieser Regel', were: 'Vorfälle, wie sie waren',
  noneThen: 'Keine', since: 'Ergebnisse gibt es seit', nothingStored: 'Aus dieser Zeit sind keine Ergebnisse gespeichert.',
};

export default german;
