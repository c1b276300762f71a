import { catalogue } from './catalogue.ts';

const english = {
  history: 'History', incidents: 'Incidents', incident: 'Incident', states: 'States', began: 'Began', lasted: 'Lasted',
  reason: 'Why', open: 'still open', lasts: 'so far', noIncident: 'No incident so far', noState: 'It has not been checked yet',
  policy: 'Try a policy', policyLong: 'Replays the stored results against another confirmation policy: which incidents would there have been?',
  regions: 'Down when', majority: 'most regions agree', any: 'one region says so', every: 'all regions agree', atLeast: (count: number) => `${count} regions agree`,
  retries: 'Failed rechecks before a region is down', days: 'Days', replay: 'Replay', would: 'Incidents under this policy', were: 'Incidents that were',
  noneThen: 'None', since: 'Results are stored since', nothingStored: 'No results are stored of this time.',
};

export const historyTexts = catalogue(english, { de: () => import('./de/monitor-history.ts') });
export type HistoryTexts = typeof english;
