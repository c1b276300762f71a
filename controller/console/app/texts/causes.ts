import { catalogue } from './catalogue.ts';

const english = {
  cause: 'Common cause', others: 'Other incidents with this cause', more: (count: string) => `And ${count} more.`,
  dependency: (count: string, name: string) => `${count} monitors that depend on ${name}`,
  address: (count: string, name: string) => `${count} monitors behind ${name}`,
  network: (count: string, name: string) => `${count} monitors in the network ${name}`,
  name_server: (count: string, name: string) => `${count} monitors that use the DNS server ${name}`,
  certificate: (count: string, name: string) => `${count} monitors with the certificate ${name}`,
  region: (count: string, name: string) => `${count} monitors checked from ${name}`,
  group: (count: string, name: string) => `${count} monitors in the group ${name}`,
};

export type CauseTexts = typeof english;

export const causeTexts = catalogue(english, { de: () => import('./de/causes.ts') });
