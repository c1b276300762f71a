import { catalogue } from './catalogue.ts';

const english = {
  expiry: 'Certificate and domain', certificate: 'Certificate', domain: 'Domain', trusted: 'Trusted', untrusted: 'Not trusted',
  validTo: 'Expires', validFrom: 'Valid from', subject: 'Subject', issuer: 'Issuer', names: 'Names', key: 'Key and protocol',
  fingerprint: 'SHA-256', seenIn: 'Seen in', differs: 'Regions see different certificates', more: (count: number) => `and ${count} more`,
  noCertificate: 'No certificate seen yet', noDomain: 'The domain hasn’t been looked up yet. Check back in a minute.',
  domainOff: 'Domain expiry monitoring is off. Turn it on in the monitor’s settings.', registrar: 'Registrar', source: 'Source', lookedUp: 'Last lookup',
};

export const expiryTexts = catalogue(english, { de: () => import('./de/expiry.ts') });
export type ExpiryTexts = typeof english;
