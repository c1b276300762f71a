import { warning } from '../check.ts';

export const NOT_CHECKED = warning('Not checked, because the settings are invalid', 'Correct the settings first.');

/** Of a server that `farwatch start` runs and that does not run now. */
export const notRunning = (what: string) => warning(
  `Not checked: ${what} runs only while Farwatch does`, 'Start Farwatch, and run farwatch doctor again while it runs.',
);
