import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { der } from '../../../helpers/certificate.ts';

/* Handwritten X.509 certificates (RFC 5280), so that tests need no openssl and can use invalid ones. */

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const NULL = der(0x05);
/** By key type and hash. */
const SIGNED_BY: Readonly<Record<string, Buffer>> = {
  'ec sha256': sequence(oid('2a8648ce3d040302')), 'ec sha1': sequence(oid('2a8648ce3d0401')),
  'rsa sha256': sequence(oid('2a864886f70d01010b'), NULL), 'rsa sha1': sequence(oid('2a864886f70d010105'), NULL),
  'rsa md5': sequence(oid('2a864886f70d010104'), NULL),
};
const COMMON_NAME = oid('550403');

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, commonName))));
}

function timeOf(at: Date): Buffer {
  return der(0x18, `${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`);
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(isCritical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));
}

function pem(certificate: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/(.{64})/g, '$1\n')
    .trimEnd()}\n-----END CERTIFICATE-----\n`;
}

export interface Issued {
  cert: string;
  key: string;
  /** Lower-case names of its subject and key, for signing others. */
  name: string;
  keyObject: KeyObject;
}

export interface CertificateOptions {
  name: string;
  /** DNS names it is for. */
  hosts?: string[];
  /** IPv4 addresses it is for. */
  addresses?: string[];
  from?: Date;
  until?: Date;
  isAuthority?: boolean;
  /** The issuer; itself if absent. */
  by?: Issued;
  /** An ECDSA key on P-256 by default, or on another curve; a number is the size of an RSA key. */
  keyOf?: string | number;
  hash?: 'sha256' | 'sha1' | 'md5';
}

/** A certificate and its key, PEM. */
export function issue(options: CertificateOptions): Issued {
  const { name, hosts = [], addresses = [], by, isAuthority = false } = options;
  const { keyOf = 'prime256v1', hash = 'sha256' } = options;
  const { privateKey, publicKey } = typeof keyOf === 'number'
    ? generateKeyPairSync('rsa', { modulusLength: keyOf })
    : generateKeyPairSync('ec', { namedCurve: keyOf });
  const signer = by?.keyObject ?? privateKey;
  const algorithm = SIGNED_BY[`${signer.asymmetricKeyType} ${hash}`] as Buffer;
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const from = options.from ?? new Date(Date.now() - 86_400_000);
  const until = options.until ?? new Date(Date.now() + 30 * 86_400_000);
  const extensions =
    [extension('551d13', true, sequence(...(isAuthority ? [der(0x01, Buffer.from([0xff]))] : [])))];
  const names = [
    ...hosts.map((host) => der(0x82, host)),
    ...addresses.map((address) => der(0x87, Buffer.from(address.split('.').map(Number)))),
  ];
  if (names.length > 0) extensions.push(extension('551d11', false, sequence(...names)));
  const serial = createHash('sha256').update(spki).digest().subarray(0, 8);
  serial[0] = ((serial[0] as number) & 0x7f) | 1;
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), der(0x02, serial), algorithm, nameOf(by?.name ?? name),
    sequence(timeOf(from), timeOf(until)), nameOf(name), spki, der(0xa3, sequence(...extensions)),
  );
  const signature = sign(hash, content, signer);
  const certificate = sequence(content, algorithm, der(0x03, Buffer.from([0]), signature));
  return {
    cert: pem(certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, name,
    keyObject: privateKey,
  };
}
