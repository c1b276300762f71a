import type { ExpiryTexts } from '../expiry.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<ExpiryTexts> = {
  expiry: 'Zertifikat und Domain', certificate: 'Zertifikat', domain: 'Domain', trusted: 'Vertrauenswürdig', untrusted: 'Nicht vertrauenswürdig',
  validTo: 'Läuft ab', validFrom: 'Gültig ab', subject: 'Inhaber', issuer: 'Aussteller', names: 'Namen', key: 'Schlüssel und Protokoll',
  fingerprint: 'SHA-256', seenIn: 'Gesehen in', differs: 'Regionen sehen verschiedene Zertifikate', more: (count) => `und ${count} weitere`,
  noCertificate: 'Noch kein Zertifikat gesehen', noDomain: 'Die Domain wurde noch nicht abgefragt. Sehen Sie in einer Minute wieder nach.',
  domainOff: 'Der Ablauf der Domain wird nicht überwacht. Schalten Sie das in den Einstellungen des Monitors ein.', registrar: 'Registrar', source: 'Quelle', lookedUp: 'Letzte Abfrage',
};

export default german;
