import { catalogue } from './catalogue.ts';

const QUORUMS: Readonly<Record<string, string>> = {
  majority: 'majority of regions', any: 'any region', all: 'all regions',
};

const english = {
  title: 'Incidents', open: 'Open', acknowledged: 'Acknowledged', resolved: 'Resolved', closed: 'Closed', all: 'All',
  critical: 'Critical', major: 'Major', minor: 'Minor', warning: 'Warning',
  search: 'Search incidents', status: 'Status', severity: 'Severity', incident: 'Incident', startedAt: 'Started', duration: 'Duration',
  where: 'Regions', none: 'No incidents', noneText: 'Incidents appear here when a monitor goes down.',
  noneFiltered: 'No incidents match your filters.', clearFilters: 'Clear filters', more: 'Show more', source: 'Opened by',
  system: 'Checks', manual: 'Person', found: (count: string) => (count === '1' ? '1 incident' : `${count} incidents`),
  acknowledge: 'Acknowledge', resolve: 'Resolve', close: 'Close permanently', assign: 'Assign', assignee: 'Assigned to',
  note: 'Note for the timeline',
  stillDown: 'If the monitor is still down in 5 minutes, a new incident opens and sends alerts.', acknowledgedBy: (name: string) => `Acknowledged by ${name}`,
  autoResolveHint: 'Resolves automatically when the target recovers.', runbook: 'Open the runbook', monitor: 'Monitor', error: 'Error',
  regions: 'Regions', failures: 'Failed checks', started: 'Started', ended: 'Ended',
  late: 'Detected from results that arrived after the outage ended. No alerts were sent.',
  held: 'Held: waiting for', inMaintenance: 'Started during a maintenance window.', votes: 'Votes by region', votesDown: 'When it started', votesUp: 'When it ended',
  noVotes: 'No votes recorded for this incident.', policy: (regions: string | number, retries: string) => `Policy: ${QUORUMS[regions] ?? (regions === 1 ? '1 region' : `${regions} regions`)}, ${retries}`, retries: (count: number) => (count === 1 ? '1 retry' : `${count} retries`),
  region: 'Region', vote: 'Vote', reason: 'Reason', time: 'Time', attempt: 'Consecutive failures', up: 'up', down: 'down', silent: 'no vote',
  same_fault_domain: 'same network as another region', unassigned: 'not assigned', quarantined: 'quarantined',
  silentWeight: 'not counted', timeline: 'Timeline', truncated: 'Some entries aren’t shown.', showResults: 'Show all checks',
  deliveries: 'Alerts sent', noDeliveries: 'No alerts were sent for this incident.', recipient: 'Recipient',
  attempts: 'Attempts', pending: 'Pending', delivered: 'Delivered', failed: 'Failed', bounced: 'Bounced',
  suppressed: 'Not sent',
  attemptsOf: (count: number, max: number) => `${count} of ${max}`, comments: 'Comments', comment: 'Comment', addComment: 'Comment',
  edit: 'Edit', remove: 'Delete', save: 'Save', cancel: 'Cancel', deleted: 'Deleted',
  removeTitle: 'Delete this comment?', postmortem: 'Postmortem', writePostmortem: 'Write a postmortem', preview: 'Preview',
  noPostmortem: 'No postmortem yet. Write down what happened and what you learned.', markdown: 'Supports Markdown: headings, lists, links and code.',
  by: (name: string) => `by ${name}`, report: 'Report an incident', titleField: 'Title', titleHint: '10–500 characters.',
  errorField: 'What’s wrong', affected: 'Monitor', noMonitor: 'No monitor', reportHint: 'For problems that checks can’t detect. Reported incidents send no alerts and don’t resolve automatically.',
  resolvedToast: 'Resolved', acknowledgedToast: 'Acknowledged', closedToast: 'Closed', savedToast: 'Saved', next: 'Next incident',
  previous: 'Previous incident', back: 'All incidents', checkFailed: 'Check failed', checkOk: 'Check succeeded',
  checkMissed: 'Check missed', stateChanged: (state: string) => `New state: ${state}`, created: 'Incident opened',
  statusChanged: (status: string) => `New status: ${status}`, fieldChanged: (field: string, to: string) => `${field}: ${to}`,
  regionChanged: (region: string, state: string) => `${region}: ${state}`, alertTo: (channel: string, recipient: string) => `Alert by ${channel} to ${recipient}`,
  commented: (name: string) => `${name} commented`, type: 'Type',
};

export const incidentTexts = catalogue(english, { de: () => import('./de/incidents.ts') });
export type IncidentTexts = typeof english;
