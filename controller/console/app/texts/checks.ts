import { catalogue } from './catalogue.ts';

const english = {
  checks: 'Checks', filters: 'Filter checks', outcome: 'Outcome', all: 'All', failed: 'Failed', passed: 'Passed', before: 'Before',
  none: 'No checks here', noneLong: 'None was made in this time, or none fits the filter.', older: 'Load older checks',
  late: 'late', probe: 'Probe', received: 'Received late, at', evidence: 'What was seen', thisCheck: 'Failed', lastGood: 'Last good',
  noGood: 'No good check is remembered', earlierEvidence: 'The probe kept what it saw when this failure was seen before:',
  phases: 'Phases', statusLine: 'Status line', address: 'Address', addresses: 'All addresses', certificate: 'Certificate',
  body: 'Body', same: 'the same',
};

export const checkTexts = catalogue(english, { de: () => import('./de/checks.ts') });
export type CheckTexts = typeof english;
