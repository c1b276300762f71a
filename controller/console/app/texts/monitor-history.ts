import { catalogue } from './catalogue.ts';

const english = {
  history: 'History', incidents: 'Incidents', incident: 'Incident', states: 'States', startedAt: 'Started', duration: 'Duration',
  reason: 'Reason', ongoing: 'ongoing', soFar: 'so far', noIncident: 'No incidents yet', noState: 'Not checked yet',
  policy: 'Policy replay', policyText: 'Replay stored results with a different confirmation policy to see which incidents it would have opened.',
  regions: 'Down when', majority: 'a majority of regions fail', any: 'any region fails', all: 'all regions fail', regionsAgree: (count: number) => `${count} regions fail`,
  retries: 'Rechecks after a failure', recoveries: 'Checks before recovery', days: 'Days', replay: 'Replay', simulatedIncidents: 'Incidents with this policy', actualIncidents: 'Actual incidents',
  noneInReplay: 'None', since: 'Results stored since', nothingStored: 'No results stored for this time range.',
};

export const historyTexts = catalogue(english, { de: () => import('./de/monitor-history.ts') });
export type HistoryTexts = typeof english;
