import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface Certificate {
  /** PEM. */
  cert: string;
  key: string;
}

interface CertificateOptions {
  /** DNS names and IPv4 addresses for which it is valid. */
  names: string[];
  /** Unix ms; by default valid for a day, starting an hour ago. */
  notBefore?: number;
  notAfter?: number;
}

const HOUR_MS = 3_600_000;
const OID = { ecdsaSha256: '2a8648ce3d040302', commonName: '550403', altName: '551d11', basic: '551d13' };

/** A self-signed certificate (RFC 5280) that is its own authority, so tests can trust its `cert`. */
export function makeCertificate(
  { names, notBefore = Date.now() - HOUR_MS, notAfter = Date.now() + 23 * HOUR_MS }: CertificateOptions,
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = der(0x30, oid(OID.ecdsaSha256));
  const name =
    der(0x30, der(0x31, der(0x30, oid(OID.commonName), der(0x0c, Buffer.from(names[0] ?? 'test')))));
  const altNames = names.map(
    (one) => (isIPv4(one) ? der(0x87, Buffer.from(one.split('.').map(Number))) : der(0x82, Buffer.from(one))),
  );
  const extensions = der(
    0xa3,
    der(
      0x30,
      der(0x30, oid(OID.altName), der(0x04, der(0x30, ...altNames))),
      der(
        0x30, oid(OID.basic), der(0x01, Buffer.from([0xff])),
        der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))),
      ),
    ),
  );
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    der(0x30, time(notBefore), time(notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  return {
    cert: pem('CERTIFICATE', der(0x30, body, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** An ASN.1 value. */
export function der(tag: number, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const size = content.length;
  // In the minimum number of bytes: other libraries reject longer forms that OpenSSL accepts.
  const length = [size >> 16, size >> 8, size].filter((byte) => byte > 0).map((byte) => byte & 255);
  return Buffer.concat([Buffer.from([tag, ...(size < 128 ? [size] : [0x80 | length.length, ...length])]), content]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

/** GeneralizedTime, YYYYMMDDHHMMSSZ. */
function time(atMs: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(atMs).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
