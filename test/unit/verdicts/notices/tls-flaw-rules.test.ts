import { expect, test } from 'vitest';
import { flawsOf } from '../../../../controller/verdicts/notices/certificate-warning-rules.ts';
import type { TlsFacts } from '../../../../shared/contracts/result.ts';
import { BARE_FACTS } from '../../../helpers/tls-facts.ts';

const SOUND: TlsFacts = {
  valid: true, expires_at: null, issuer: '', subject: '', fingerprint256: 'AA', protocol: 'TLSv1.2',
  ...BARE_FACTS,
};

test.each<[Partial<TlsFacts>, string[]]>([
  [{}, []],
  [{ protocol: 'TLSv1.3', key: 'EC P-256', problem: null, weak_signature: null }, []],
  [{ protocol: 'TLSv1.1' }, ['The server uses TLSv1.1, which is outdated']],
  [{ protocol: 'TLSv1' }, ['The server uses TLSv1, which is outdated']],
  [{ key: 'RSA 1024' }, ['The certificate has a weak key (RSA 1024)']],
  [{ key: 'RSA 2047' }, ['The certificate has a weak key (RSA 2047)']],
  [{ key: 'RSA 2048' }, []],
  [{ key: 'RSA 16384' }, []],
  [{ key: 'EC P-224' }, ['The certificate has a weak key (EC P-224)']],
  [{ key: 'EC secp192k1' }, ['The certificate has a weak key (EC secp192k1)']],
  [{ key: 'EC P-384' }, []],
  [{ key: 'ED25519' }, []],
  [{ key: 'EC' }, []],
  [{ key: '' }, []],
  [{ weak_signature: 'MD5' }, ['The certificate is signed with MD5, which is broken']],
  [{ valid: false }, ['The certificate cannot be verified']],
  [{ valid: false, problem: { code: 'X', message: 'x'.repeat(1000) } }, ['x'.repeat(256)]],
])('%j: %j', (facts, messages) => {
  expect(flawsOf({ ...SOUND, ...facts }).map(({ message }) => message)).toEqual(messages);
});
