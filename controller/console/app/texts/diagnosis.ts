import { catalogue } from './catalogue.ts';

const english = {
  diagnosis: 'Diagnosis', diagnosed: 'Diagnosed',
  soon: 'Probes are examining the target. The diagnosis appears here within a minute.',
  none: 'No diagnosis is available for this incident.',
  target: 'Problem at the target', path: 'Problem on the network path', dns: 'Problem with DNS',
  certificate: 'Problem with the certificate', edge: 'Problem in the target’s network', probe: 'Problem at the probe',
  unknown: 'No conclusion', unknownHint: 'A conclusion requires two independent observations.',
  observations: 'Observations', decidedBy: 'Based on', paths: 'Path from each region', noRegions: 'No region could examine the target.',
  seesUp: 'sees the target up', seesDown: 'sees the target down',
  probeStop: 'Probe', targetStop: 'Target', noAddress: 'no address', hop: 'Hop',
  silent: (count: number) => (count === 1 ? 'No response' : `${count} hops, no response`),
  untraced: 'Path not traced', break_name: 'The name doesn’t resolve', break_path: 'No response beyond this point',
  break_target: 'Reached, but the check fails', break_unknown: 'Unknown where the path breaks',
  details: 'Addresses, name servers and TLS by region', region: 'Region', addresses: 'Addresses', servers: 'Name servers',
  families: 'Address families', tls: 'TLS', up: 'up', down: 'down', absent: 'no address',
  validTo: (at: string) => `valid until ${at}`, more: (count: number) => `${count} more`, allRegions: (count: string) => `Show all ${count} regions`,
  diagnoseNow: 'Diagnose now',
  running: 'Checking DNS, network path, addresses and certificate. This takes up to 15 seconds.',
  limit: 'You can run one diagnosis per monitor every 10 minutes.',
  earlier: 'This is the latest diagnosis.',
};

export const diagnosisTexts = catalogue(english, { de: () => import('./de/diagnosis.ts') });
export type DiagnosisTexts = typeof english;
