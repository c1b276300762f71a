import { catalogue } from './catalogue.ts';

const english = {
  diagnosis: 'Diagnosis', diagnosed: 'Diagnosed',
  soon: 'No diagnosis yet. Probes that see the target down and up are examining it. The result appears here within a minute.',
  none: 'There is no diagnosis of this incident. Farwatch diagnoses outages that probes have confirmed.',
  target: 'Problem at the target', path: 'Problem on the network path', dns: 'Problem with DNS',
  certificate: 'Problem with the certificate', edge: 'Problem in the targets’ network', probe: 'Problem at the probe',
  unknown: 'No conclusion', unknownHint: 'Farwatch draws no conclusion without two independent observations.',
  observations: 'Observations', decidedBy: 'Decisive observations', paths: 'Path from each region', noRegions: 'No region has examined the target.',
  seesUp: 'sees the target up', seesDown: 'sees the target down',
  probeStop: 'Probe', targetStop: 'Target', noAddress: 'no address', hop: 'Hop',
  silent: (count: number) => (count === 1 ? 'No response' : `${count} hops, no response`),
  untraced: 'Path not traced', break_name: 'No address found for the name', break_path: 'No response beyond this point',
  break_target: 'Reached, but the check fails here', break_unknown: 'It’s unknown where the path breaks',
  details: 'Addresses, name servers and TLS by region', region: 'Region', addresses: 'Addresses', servers: 'Name servers',
  families: 'Address families', tls: 'TLS', up: 'up', down: 'down', absent: 'no address',
  validTo: (at: string) => `valid until ${at}`, more: (count: number) => `${count} more`, allRegions: (count: string) => `Show all ${count} regions`,
  diagnoseNow: 'Diagnose now',
  running: 'Probes are examining the target: its names, the path to it, its addresses and its certificate. This takes up to 15 seconds.',
  limit: 'A monitor is diagnosed at most once in 10 minutes. Until then you see the last diagnosis.',
  earlier: 'This is the last diagnosis.',
};

export const diagnosisTexts = catalogue(english, { de: () => import('./de/diagnosis.ts') });
export type DiagnosisTexts = typeof english;
