import { catalogue } from './catalogue.ts';

const english = {
  title: 'Fleet', probes: 'Probes', regions: 'Regions', addProbe: 'Add a probe', addRegion: 'Add a region', probe: 'Probe',
  region: 'Region', state: 'State', monitors: 'Monitors', load: 'Load', lateness: 'Delay', missed: 'Missed', lost: 'Lost',
  spool: 'Spool', clock: 'Clock', version: 'Version', lastSeen: 'Last seen', never: 'never', enrolling: 'Enrolling', online: 'Online',
  offline: 'Offline', draining: 'Draining', quarantined: 'Quarantined', none: 'No probes yet',
  noneText: 'A probe is a small program that runs checks from its location. Add one close to your users.',
  name: 'Name', nameHint: 'For example, the machine’s hostname.', newRegion: 'New region…', id: 'Short name',
  idHint: '2–32 lowercase letters, digits and hyphens. You can’t change it later.', city: 'City', country: 'Country',
  countryHint: 'For example, ES or Spain.', lat: 'Latitude', lon: 'Longitude', create: 'Create', cancel: 'Cancel', enrol: 'Start the probe',
  enrolText: 'On the machine that will run the probe, run this command in a copy of Farwatch. Requires Node.js. The token works once and expires after 15 minutes.',
  command: 'Command that starts the probe', waiting: 'Waiting for the probe to come online…', isOnline: (name: string) => `${name} is online`,
  done: 'Done', drain: 'Drain', undrain: 'Stop draining', rotate: 'Rotate keys', revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke ${name}?`, revokeText: 'The probe is disconnected within a second, and its monitors move to other probes. This can’t be undone.',
  rotateTitle: (name: string) => `Rotate the keys of ${name}?`, rotateText: 'The probe generates new keys and keeps running without interruption. The old keys stop working.',
  drained: 'Draining', undrained: 'No longer draining', rotated: 'The probe will rotate its keys the next time it checks in', revoked: 'Revoked',
  capabilities: 'Check types', provider: 'Provider', asn: 'Autonomous system', addresses: 'Addresses',
  created: 'Added', keys: 'Keys rotated', quarantine: 'Quarantine reason', since: 'Since', back: 'All probes',
  networkHint: 'Probes with the same provider or autonomous system share one vote.', saved: 'Saved', save: 'Save', edit: 'Edit',
  visibility: 'Available to', shared: 'all organizations', private: 'this organization', deleteRegion: 'Delete', regionDeleted: 'Deleted',
  deleteRegionTitle: (name: string) => `Delete the region ${name}?`, deleteRegionText: 'Monitors assigned to it continue in other regions.',
  noRegions: 'No regions yet', map: (points: string) => `Probe locations. ${points}`, noProbe: 'no probe',
  actionsOf: (name: string) => `Actions for ${name}`, probesOnline: 'Probes online',
  assignedMonitors: 'Assigned monitors', monitor: 'Monitor', type: 'Type', search: 'Search by name or target',
  ofProject: (count: string) => `${count} in this project`, ofOthers: (count: string) => `${count} in other projects`,
  replace: 'Replace the private region with this short name',
  replaceHint: 'Deletes that organization’s region and its probes.',
  found: (count: string) => `${count} found`, showMore: (count: string) => `Show more (${count})`,
};

export const fleetTexts = catalogue(english, { de: () => import('./de/fleet.ts') });
export type FleetTexts = typeof english;
