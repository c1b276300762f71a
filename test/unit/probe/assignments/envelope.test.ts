import { createAccount, createCurve, createUser, type KeyPair } from 'nkeys.js';
import { describe, expect, test } from 'vitest';
import { EnvelopeOpener } from '../../../../probe/assignments/envelope.ts';
import { signedText, type SignedEnvelope } from '../../../../shared/contracts/assignment.ts';
import { isSignedBy, verificationKey } from '../../../../shared/nkey-signature.ts';

const NOW = 1_760_000_000_000;
const signer = createAccount();
const controllerBox = createCurve();
const probeBox = createCurve();

function seal(
  overrides: Partial<SignedEnvelope> = {},
  by: { signer?: KeyPair; box?: KeyPair; to?: string; content?: unknown } = {},
): Buffer {
  const content = Buffer.from(JSON.stringify(by.content ?? { hello: 'probe' }));
  const unsigned = {
    purpose: 'assign' as const, probe_id: 'p1', revision: 7, expires_at: NOW + 1000,
    payload: Buffer.from((by.box ?? controllerBox).seal(content, by.to ?? probeBox.getPublicKey())).toString(
      'base64',
    ), ...overrides,
  };
  const signature =
    Buffer.from((by.signer ?? signer).sign(Buffer.from(signedText(unsigned)))).toString('base64url');
  return Buffer.from(JSON.stringify({ v: 1, ...unsigned, signature: overrides.signature ?? signature }));
}

function tampered(change: (envelope: SignedEnvelope) => Partial<SignedEnvelope>): Buffer {
  const envelope = JSON.parse(seal().toString()) as SignedEnvelope;
  return Buffer.from(JSON.stringify({ ...envelope, ...change(envelope) }));
}

const opener = new EnvelopeOpener({
  probeId: 'p1', box: probeBox, controllerKey: signer.getPublicKey(),
  controllerBoxKey: controllerBox.getPublicKey(),
});

describe('a controller envelope', () => {
  test('opens if it is signed by the controller, sealed for this probe and purpose, and unexpired', () => {
    expect(opener.open(seal(), 'assign', NOW)).toEqual({
      ok: true, revision: 7, content: { hello: 'probe' },
    });
  });

  test('may have expired within the clock leeway', () => {
    expect(opener.open(seal(), 'assign', NOW + 60_000).ok).toBe(true);
    expect(opener.open(seal(), 'assign', NOW + 61_001)).toEqual({ ok: false, reason: 'expired' });
  });

  test.each<[string, Buffer, string]>([
    ['signed by somebody else', seal({}, { signer: createAccount() }), 'signature'],
    ['signed by the probe itself', seal({}, { signer: createUser() }), 'signature'],
    ['without a signature', seal({ signature: '' }), 'signature'],
    ['changed to another revision after signing', tampered(() => ({ revision: 8 })), 'signature'],
    ['changed to a later expiry after signing', tampered(() => ({ expires_at: NOW + 1e9 })), 'signature'],
    ['changed to another payload after signing', tampered(() => ({ payload: 'AAAA' })), 'signature'],
    ['for another probe', seal({ probe_id: 'p2' }), 'addressee'],
    ['for another purpose', seal({ purpose: 'run' }), 'purpose'],
    ['sealed to another probe', seal({}, { to: createCurve().getPublicKey() }), 'seal'],
    ['sealed by somebody else', seal({}, { box: createCurve() }), 'seal'],
    ['without a sealed payload', seal({ payload: Buffer.from('{}').toString('base64') }), 'form'],
    ['not JSON', Buffer.from('{'), 'form'],
    ['not an object', Buffer.from('[]'), 'form'],
    ['empty', Buffer.alloc(0), 'form'],
  ])('is rejected when it is %s', (_what, bytes, reason) => {
    expect(opener.open(bytes, 'assign', NOW)).toEqual({ ok: false, reason });
  });

  test('nkey signatures verify for any key', () => {
    for (let round = 0; round < 20; round += 1) {
      const pair = createAccount();
      const text = `text ${round}`;
      const signature = Buffer.from(pair.sign(Buffer.from(text))).toString('base64url');
      const key = verificationKey(pair.getPublicKey());
      expect(isSignedBy(key, text, signature)).toBe(true);
      expect(isSignedBy(key, `${text}.`, signature)).toBe(false);
    }
    expect(() => verificationKey('AAAA')).toThrow();
  });
});
