import { catalogue } from './catalogue.ts';

const english = {
  changes: 'Changes', none: 'No changes yet', showMore: 'Show more', before: 'Changes in the 30 minutes before the incident',
  inChart: (count: number) => (count === 1 ? '1 change in this chart' : `${count} changes in this chart`),
  addresses: 'Addresses', name_servers: 'Name servers', certificate: 'Certificate', redirects: 'Redirects',
  header: 'Response header', marker: 'Marker', from: 'from', to: 'to', nothing: 'none',
};

export type ChangeTexts = typeof english;

export const changeTexts = catalogue(english, { de: () => import('./de/changes.ts') });
