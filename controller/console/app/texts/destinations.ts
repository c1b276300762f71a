import { catalogue } from './catalogue.ts';

const english = {
  recentDeliveries: 'Deliveries', nothingSent: 'No alerts sent to this destination yet.', event: 'Event', recipient: 'Recipient', attempts: 'Attempts',
  when: 'When', outcome: 'Outcome',
  title: 'Alerts', destination: 'Destination', add: 'New destination', none: 'No destinations yet',
  noneText: 'Add a destination to get alerts by email, in Slack or through your own webhook.',
  noDefault: 'There is no default destination. Monitors without their own destinations won’t send alerts.',
  adminsOnly: 'Only project admins can see where alerts go', back: 'All destinations', state: 'State',
  lastDelivered: 'Last delivered', never: 'never', healthy: 'Healthy', failing: 'Failing', unknown: 'Not used yet', off: 'Disabled',
  failingFor: 'failing for', stopped: (who: string) => `Opted out of these emails: ${who}`,
  kind: 'Type', default: 'Default', enabled: 'Enabled',
  enabledOf: (name: string) => `Send alerts to ${name}`, enabledHint: 'A disabled destination receives no alerts.',
  isDefault: 'Default', isDefaultHint: 'Used by every monitor without its own destinations.', name: 'Name',
  events: 'Events', outages: 'Outages', warnings: 'Warnings', data: 'Missing results', probes: 'Your probes',
  'monitor.down': 'Monitor down', 'monitor.up': 'Monitor recovered', 'monitor.ssl_expiring': 'Certificate expiring soon',
  'monitor.domain_expiring': 'Domain expiring soon', 'monitor.slow_response': 'Slow responses',
  'monitor.slow_response_resolved': 'Response times back to normal', 'monitor.region_degraded': 'Down in some regions only',
  'monitor.no_data': 'No results received', 'monitor.no_data_resolved': 'Results received again', 'probe.offline': 'Probe offline',
  'probe.online': 'Probe back online', 'probe.quarantined': 'Probe quarantined', 'probe.released': 'Probe released from quarantine',
  'incident.acknowledged': 'Incident acknowledged', 'incident.resolved': 'Incident resolved manually',
  conditions: 'Which alerts, and when', filter: 'Only some alerts', filterHint: 'An alert must match everything you choose here.',
  tags: 'Tags', tagsHint: 'Separated by commas. Monitors with any of them.', severities: 'Severities', groups: 'Groups, with their subgroups',
  noGroups: 'No groups yet.', monitors: 'Monitors', timing: 'Time', minutes: 'minutes', delay: 'Delay',
  delayHint: 'Send an outage only if it lasts this long and nobody has acknowledged it.', reminder: 'Remind every',
  reminderHint: 'Send an outage again until someone acknowledges it.', hours: 'Only at certain hours',
  hoursHint: 'Recoveries wait for the next opening, too.', hoursFrom: 'From', hoursTo: 'To', timeZone: 'Time zone',
  outside: 'Outside these hours', hold: 'Hold until the next opening', drop: 'Don’t send',
  create: 'Create', created: 'Destination created. Send a test alert to make sure it arrives.', saved: 'Saved', deleted: 'Deleted',
  deleteTitle: (name: string) => `Delete ${name}?`, deleteText: 'Pending alerts to this destination are discarded.',
  test: 'Send test alert', sending: 'Sending…', arrived: 'Delivered', notArrived: 'Not delivered', secret: 'Signing secret',
  secretText: 'Every request is signed with this secret, so your receiver can verify that it came from Farwatch.', showSecret: 'Show secret',
  rotate: 'Rotate', rotateTitle: 'Rotate the signing secret?', rotated: 'Secret rotated',
  rotateText: 'New requests are signed with the new secret right away. Receivers that still use the old secret will reject them.',
};

export const destinationTexts = catalogue(english, { de: () => import('./de/destinations.ts') });
export type DestinationTexts = typeof english;
