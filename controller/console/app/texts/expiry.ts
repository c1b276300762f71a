import { catalogue } from './catalogue.ts';

const english = {
  expiry: 'Certificate and domain', certificate: 'Certificate', domain: 'Domain', trusted: 'Trusted', untrusted: 'Not trusted',
  validTo: 'Expires', validFrom: 'Valid from', subject: 'Subject', issuer: 'Issuer', names: 'Names', key: 'Key and protocol',
  fingerprint: 'SHA-256', seenIn: 'Seen in', differs: 'Regions see different ones', more: (count: number) => `and ${count} more`,
  noCertificate: 'No check has met a certificate yet.', noDomain: 'The domain has not been looked up yet. That takes a minute.',
  domainOff: 'The expiry of the domain is not monitored. Switch it on in the settings.', registrar: 'Registrar', source: 'Source', lookedUp: 'Looked up',
};

export const expiryTexts = catalogue(english, { de: () => import('./de/expiry.ts') });
export type ExpiryTexts = typeof english;
