import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type * as CertificateModule from '../../../probe/checks/tls/certificate.ts';
import type * as CertificateNames from '../../../probe/checks/tls/certificate-names.ts';
import type * as WeakSignature from '../../../probe/checks/tls/weak-signature.ts';
import { TLS_LIMITS, tlsFacts } from '../../../shared/contracts/result.ts';
import { fuzzedParser } from './fuzzed-parser.ts';

/** A few short names without control characters, no more than the text can contain. */
export const certificateNames = fuzzedParser<typeof CertificateNames>({
  name: 'certificate-names', entry: 'probe/checks/tls/certificate-names.ts',
  seeds: [
    'DNS:a.test, DNS:*.b.test, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1',
    'DNS:"a.test\\u0000, DNS:b.test", email:x@y.test, URI:http://a.test/?q=1, DNS:c.test',
    'othername:<unsupported>, DirName:"CN=x\\"y", Registered ID:1.2.3.4, DNS:',
    'DNS:"a\\\\", DNS:"\\ud800", DNS:"unclosed',
  ],
  feed: ({ namesOf }, bytes) => {
    const { names, more } = namesOf(bytes.toString('latin1'));
    assert.ok(names.length <= TLS_LIMITS.names && names.length + more <= bytes.length / 4);
    // eslint-disable-next-line no-control-regex
    for (const name of names) assert.ok(name.length <= TLS_LIMITS.nameLength && !/[\0-\x1f\x7f]/.test(name));
  },
});

const ALGORITHM = '300a06082a8648ce3d040301';

/** The result is one of the three values, whatever lengths the certificate claims. */
export const weakSignature = fuzzedParser<typeof WeakSignature>({
  name: 'weak-signature', entry: 'probe/checks/tls/weak-signature.ts',
  seeds: [
    `3011${'3003020101'}${ALGORITHM}`, `308200113003020101${'300906072a8648ce3d0401'}`,
    `30820013300302010130${'0d06092a864886f70d0101040500'}`, `3084ffffffff30820003020101${ALGORITHM}`,
  ].map((hex) => Buffer.from(hex, 'hex')),
  feed: ({ weakSignatureOf }, bytes) => assert.ok([null, 'MD5', 'SHA-1'].includes(weakSignatureOf(bytes))),
});

/** In the checkout, where npm runs; the bundled fuzzer is elsewhere. */
const FIXTURES = resolve('test/fixtures/certificates');

/** The facts of any certificate that OpenSSL can parse are valid for sending, including its dates. */
export const certificateFacts = fuzzedParser<typeof CertificateModule>({
  name: 'certificate-facts', entry: 'probe/checks/tls/certificate.ts',
  seeds: readdirSync(FIXTURES).map((name) => new X509Certificate(readFileSync(join(FIXTURES, name))).raw),
  feed: ({ certificateFacts: factsOf, certificateProblem }, bytes) => {
    const certificate = parsed(bytes);
    const facts = factsOf(certificate);
    tlsFacts.parse({ valid: false, protocol: 'TLSv1.3', problem: null, ...facts });
    const problem = certificateProblem('CERT_HAS_EXPIRED', 'a.test', facts.expires_at);
    assert.match(problem, /^The certificate (?:has expired|expired on \d{4}-\d\d-\d\d)$/);
  },
});

function parsed(bytes: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(bytes);
  } catch {
    return null;
  }
}
