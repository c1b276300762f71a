import type { EditingTexts } from '../editing.ts';
import type { Translation } from '../catalogue.ts';

const REASONS: Readonly<Record<string, string>> = {
  no_live_probe: 'dort ist keine Probe online', unreachable: 'ihre Probe ist nicht erreichbar',
  timeout: 'ihre Probe hat nicht rechtzeitig geantwortet', refused: 'ihre Probe hatte keinen Platz dafür',
  unsupported: 'ihre Probe kann solche Prüfungen nicht',
};

const german: Translation<EditingTexts> = {
  success: 'Erreichbar', failure: 'Ausgefallen', missed: 'Nicht geprüft', noRegion: 'Keine Probe ist online, die prüfen könnte.',
  runSummary: (up, down, missed) => [
    up > 0 ? `${up} erreichbar` : '', down > 0 ? `${down} ausgefallen` : '', missed > 0 ? `${missed} nicht geprüft` : '',
  ].filter(Boolean).join(', '),
  reason: (code) => REASONS[code] ?? code,
};

export default german;
