import { catalogue } from './catalogue.ts';

const english = {
  sent: 'What was sent here', nothingSent: 'Nothing was sent here yet.', event: 'Event', recipient: 'Recipient', attempts: 'Attempts',
  when: 'When', outcome: 'Outcome',
  title: 'Alerts', destination: 'Destination', add: 'New destination', none: 'Nobody is alerted yet',
  noneLong: 'Say where alerts go: to mail addresses, a Slack channel or your own webhook.',
  noDefault: 'No destination is a default: monitors that name none alert nobody.',
  adminsOnly: 'Only admins of this project see where its alerts go', back: 'All destinations', state: 'State',
  lastDelivered: 'Last delivered', never: 'never', healthy: 'Delivers', failing: 'Failing', unknown: 'Not used yet', off: 'Off',
  failingFor: 'failing for', stopped: (who: string) => `Have stopped these mails themselves: ${who}`,
  email: 'Mail', slack: 'Slack', webhook: 'Webhook', kind: 'Kind', default: 'Default', enabled: 'Enabled',
  enabledOf: (name: string) => `Send alerts to ${name}`, enabledHint: 'While it is off, nothing is sent there.',
  isDefault: 'Default', isDefaultHint: 'Receives the alerts of all monitors that name no destination.', name: 'Name',
  recipients: 'Recipients', recipientsHint: 'Up to 20 mail addresses, one per line.', url: 'URL', urlHint: 'Receives a signed request for each alert.',
  slackUrl: 'Webhook URL', slackUrlHint: 'Incoming webhook of the channel. Whoever knows it can post there.',
  method: 'Method', headers: 'Headers', headersHint: 'One per line, as in “Name: value”.',
  events: 'What it is told of', outages: 'Outages', warnings: 'Warnings', data: 'Missing results', probes: 'Own probes',
  'monitor.down': 'A monitor goes down', 'monitor.up': 'It is up again', 'monitor.ssl_expiring': 'A certificate expires soon',
  'monitor.domain_expiring': 'A domain expires soon', 'monitor.slow_response': 'Responses become slow',
  'monitor.slow_response_resolved': 'Responses are fast again', 'monitor.region_degraded': 'Single regions see it down',
  'monitor.no_data': 'No results arrive', 'monitor.no_data_resolved': 'Results arrive again', 'probe.offline': 'A probe is offline',
  'probe.online': 'It is online again', 'probe.quarantined': 'A probe is quarantined', 'probe.released': 'It is released',
  create: 'Create', created: 'Created. Send a test to see it arrive.', saved: 'Saved', deleted: 'Deleted',
  deleteAsk: (name: string) => `Delete ${name}?`, deleteLong: 'Alerts that are still to be sent there are dropped.',
  test: 'Send a test', sending: 'Sending…', arrived: 'Delivered', notArrived: 'Not delivered', secret: 'Signing secret',
  secretLong: 'Each request is signed with it, so that the receiver can tell ours from others.', showSecret: 'Show the secret',
  rotate: 'Replace', rotateAsk: 'Replace the signing secret?', rotated: 'Replaced',
  rotateLong: 'Requests are signed with the new one at once. Receivers that check the old one will refuse them.',
};

export const destinationTexts = catalogue(english, { de: () => import('./de/destinations.ts') });
export type DestinationTexts = typeof english;
