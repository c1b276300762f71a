import { catalogue } from './catalogue.ts';

const english = {
  history: 'History', incidents: 'Incidents', incident: 'Incident', states: 'States', began: 'Started', lasted: 'Duration',
  reason: 'Reason', open: 'ongoing', lasts: 'so far', noIncident: 'No incidents yet', noState: 'Not checked yet',
  policy: 'Try another policy', policyLong: 'Replay stored results with a different confirmation policy to see which incidents it would have opened.',
  regions: 'Down when', majority: 'a majority of regions fail', any: 'any region fails', every: 'all regions fail', atLeast: (count: number) => `${count} regions fail`,
  retries: 'Rechecks before a region counts as down', days: 'Days', replay: 'Replay', would: 'Incidents with this policy', were: 'Actual incidents',
  noneThen: 'None', since: 'Results stored since', nothingStored: 'No results stored for this time range.',
};

export const historyTexts = catalogue(english, { de: () => import('./de/monitor-history.ts') });
export type HistoryTexts = typeof english;
