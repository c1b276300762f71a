import { catalogue } from './catalogue.ts';

const QUORUMS: Readonly<Record<string, string>> = {
  majority: 'majority of regions', any: 'any region', all: 'all regions',
};

const english = {
  title: 'Incidents', open: 'Open', acknowledged: 'Acknowledged', resolved: 'Resolved', closed: 'Closed', all: 'All',
  critical: 'Critical', major: 'Major', minor: 'Minor', warning: 'Warning',
  search: 'Search incidents', status: 'Status', severity: 'Severity', incident: 'Incident', began: 'Began', lasted: 'Lasted',
  where: 'Where', none: 'No incidents', noneLong: 'Nothing is wrong, and nothing was, as far as these filters reach.',
  noneFiltered: 'No incident fits these filters.', clearFilters: 'Show all', more: 'Show more', source: 'Opened by',
  system: 'Checks', manual: 'A person', found: (count: string) => (count === '1' ? '1 incident' : `${count} incidents`),
  acknowledge: 'Acknowledge', resolve: 'Resolve', close: 'Close for good', assign: 'Assign', assignee: 'Assigned to',
  note: 'Note for the history',
  stillDown: 'If the monitor is still down in 5 minutes, a new incident opens and sends alerts.', acknowledgedBy: (name: string) => `Acknowledged by ${name}`,
  checksEnd: 'The checks resolve it by themselves as soon as the target is back.', monitor: 'Monitor', error: 'What failed',
  regions: 'Regions', failures: 'Failed checks', started: 'Began', ended: 'Ended',
  late: 'Found late: results that arrived afterwards revealed it. Nobody was alerted.',
  inMaintenance: 'It began in a maintenance window.', votes: 'Who voted what', votesDown: 'When it began', votesUp: 'When it ended',
  noVotes: 'No votes are kept for this incident.', policy: (regions: string | number, retries: string) => `Policy: ${QUORUMS[regions] ?? `${regions} regions`}, ${retries}`, retries: (count: number) => (count === 1 ? '1 retry' : `${count} retries`),
  region: 'Region', vote: 'Vote', why: 'Why', at: 'At', attempt: 'Failures in a row', up: 'up', down: 'down', silent: 'no vote',
  same_fault_domain: 'same network as another', unassigned: 'not assigned', quarantined: 'quarantined',
  silentWeight: 'silent', timeline: 'Timeline', truncated: 'There is more than is shown here.', showResults: 'Show every check',
  deliveries: 'Alerts sent', noDeliveries: 'No alert was sent for this incident.', recipient: 'Recipient',
  attempts: 'Attempts', pending: 'Pending', delivered: 'Delivered', failed: 'Failed', bounced: 'Bounced',
  tries: (count: number, most: number) => `${count} of ${most}`, comments: 'Comments', comment: 'Comment', addComment: 'Comment',
  edit: 'Edit', remove: 'Delete', save: 'Save', cancel: 'Cancel', deleted: 'Deleted',
  removeAsk: 'Delete this comment?', postmortem: 'Postmortem', writePostmortem: 'Write a postmortem', preview: 'Preview',
  noPostmortem: 'Nobody has written what was learned yet.', markdown: 'Markdown: headings, lists, links, code.',
  by: (name: string) => `by ${name}`, report: 'Report an incident', titleField: 'Title', titleHint: '10 to 500 characters',
  errorField: 'What is wrong', affected: 'Monitor', noMonitor: 'No monitor', reportHint: 'For what checks cannot see. It sends no alerts, and only people resolve it.',
  resolvedToast: 'Resolved', acknowledgedToast: 'Acknowledged', closedToast: 'Closed', savedToast: 'Saved', next: 'Next incident',
  previous: 'Previous incident', back: 'All incidents', checkFailed: 'Check failed', checkOk: 'Check succeeded',
  checkMissed: 'Check missed', stateBecame: (state: string) => `New state: ${state}`, created: 'Incident opened',
  statusBecame: (status: string) => `New status: ${status}`, fieldChanged: (field: string, to: string) => `${field}: ${to}`,
  regionBecame: (region: string, state: string) => `${region}: ${state}`, alertTo: (channel: string, recipient: string) => `Alert by ${channel} to ${recipient}`,
  commented: (name: string) => `${name} commented`, type: 'Kind',
};

export const incidentTexts = catalogue(english, { de: () => import('./de/incidents.ts') });
export type IncidentTexts = typeof english;
