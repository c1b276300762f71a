import { catalogue } from './catalogue.ts';

const english = {
  checks: 'Checks', filters: 'Filter checks', outcome: 'Outcome', all: 'All', failed: 'Failed', passed: 'Passed', before: 'Before',
  none: 'No checks found', noneText: 'No checks ran in this time range, or none match your filters.', older: 'Load older checks',
  late: 'late', probe: 'Probe', received: 'Received', evidence: 'Evidence', thisCheck: 'Failed check', lastGood: 'Last successful check',
  noGood: 'No successful check on record', earlierEvidence: 'The probe captured this during an earlier check with the same failure:',
  phases: 'Phases', statusLine: 'Status line', address: 'Address', addresses: 'All addresses', certificate: 'Certificate',
  body: 'Body', same: 'unchanged',
};

export const checkTexts = catalogue(english, { de: () => import('./de/checks.ts') });
export type CheckTexts = typeof english;
