import { catalogue } from './catalogue.ts';

const english = {
  title: 'Fleet', probes: 'Probes', regions: 'Regions', addProbe: 'Add a probe', addRegion: 'Add a region', probe: 'Probe',
  region: 'Region', state: 'State', monitors: 'Monitors', load: 'Load', lateness: 'Late', missed: 'Missed', lost: 'Lost',
  spool: 'Spool', clock: 'Clock', version: 'Version', seen: 'Last heard', never: 'never', enrolling: 'Enrolling', online: 'Online',
  offline: 'Offline', draining: 'Draining', quarantined: 'Quarantined', none: 'No probes yet',
  noneLong: 'A probe is a small program that checks from where you run it. Add one where your users are.',
  name: 'Name', nameHint: 'As you would call the machine', newRegion: 'A new region…', id: 'Short name',
  idHint: '2 to 32 small letters, digits and hyphens; it cannot change later', city: 'City', country: 'Country',
  countryHint: 'As ES or Spain', lat: 'Latitude', lon: 'Longitude', create: 'Create', cancel: 'Cancel', enrol: 'Start it there',
  enrolLong: 'Run this where the probe should live, in a copy of Farwatch with Node.js, within 15 minutes. The token works once.',
  command: 'Command that starts the probe', waiting: 'Waiting for it to come online…', isOnline: (name: string) => `${name} is online`,
  done: 'Done', drain: 'Drain', undrain: 'Give it work again', rotate: 'Rotate its keys', revoke: 'Revoke',
  revokeAsk: (name: string) => `Revoke ${name}?`, revokeLong: 'Its connection ends within a second, and its monitors move to other probes. It cannot come back.',
  rotateAsk: (name: string) => `Rotate the keys of ${name}?`, rotateLong: 'The probe makes new keys and goes on without a gap; the old ones end.',
  drained: 'It gives its work away', undrained: 'It gets work again', rotated: 'It makes new keys at its next beat', revoked: 'Revoked',
  capabilities: 'Can check', provider: 'Provider', asn: 'Autonomous system', addresses: 'Addresses',
  created: 'Added', keys: 'Keys changed', quarantine: 'Why it is in quarantine', since: 'Since', back: 'All probes',
  networkHint: 'Probes of the same provider or system have one vote together', saved: 'Saved', save: 'Save', edit: 'Edit',
  visibility: 'For', shared: 'everybody here', private: 'this organization', deleteRegion: 'Delete', regionDeleted: 'Deleted',
  deleteRegionAsk: (name: string) => `Delete the region ${name}?`, deleteRegionLong: 'Monitors that name it go on elsewhere.',
  noRegions: 'No regions yet', map: (points: string) => `Where the probes are. ${points}`, noProbe: 'no probe',
  actionsOf: (name: string) => `Actions for ${name}`, probesOnline: 'Probes online',
  runs: 'What it runs', monitor: 'Monitor', type: 'Type', search: 'Search by name or target',
  ofProject: (count: string) => `${count} of this project`, ofOthers: (count: string) => `${count} of others`,
  replace: 'Replace the private region that has this short name',
  replaceHint: 'Deletes that organization’s region together with its probes.',
  found: (count: string) => `${count} found`, showMore: (count: string) => `Show more (${count})`,
};

export const fleetTexts = catalogue(english, { de: () => import('./de/fleet.ts') });
export type FleetTexts = typeof english;
