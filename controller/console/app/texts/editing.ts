import { catalogue } from './catalogue.ts';

const REASONS: Readonly<Record<string, string>> = {
  no_live_probe: 'no probe is online there', unreachable: 'its probe cannot be reached', timeout: 'its probe did not answer in time',
  refused: 'its probe had no room for it', unsupported: 'its probe cannot do such checks',
};

const english = {
  success: 'Up', failure: 'Down', missed: 'Not checked', noRegion: 'No probe is online that could check it.',
  runSummary: (up: number, down: number, missed: number) => [
    up > 0 ? `${up} up` : '', down > 0 ? `${down} down` : '', missed > 0 ? `${missed} not checked` : '',
  ].filter(Boolean).join(', '),
  reason: (code: string) => REASONS[code] ?? code,
};

export const editingTexts = catalogue(english, { de: () => import('./de/editing.ts') });
export type EditingTexts = typeof english;
