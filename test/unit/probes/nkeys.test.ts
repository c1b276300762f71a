import { createAccount, createCurve, createUser, fromPublic } from 'nkeys.js';
import { describe, expect, test } from 'vitest';
import { readNatsJwt, signNatsJwt } from '../../../controller/platform/bus/nats-jwt.ts';
import {
  ControllerKeys, isBoxKey, isSignedByOwnerOf, newControllerSeeds, SigningKey,
} from '../../../controller/platform/bus/nkeys.ts';

const seedOf = (pair: { getSeed(): Uint8Array }) => new TextDecoder().decode(pair.getSeed());

describe('keys', () => {
  test('create signatures that nkeys.js verifies, and verify those of nkeys.js', () => {
    for (const pair of [createAccount(), createUser()]) {
      const key = new SigningKey(seedOf(pair));
      expect(key.publicKey).toBe(pair.getPublicKey());
      const text = 'héllo\n'.repeat(100);
      const bytes = new TextEncoder().encode(text);
      expect(fromPublic(key.publicKey).verify(bytes, Buffer.from(key.sign(text), 'base64url'))).toBe(true);
      const theirs = Buffer.from(pair.sign(bytes)).toString('base64url');
      expect(isSignedByOwnerOf(key.publicKey, text, theirs)).toBe(true);
      expect(isSignedByOwnerOf(key.publicKey, `${text}!`, theirs)).toBe(false);
      expect(isSignedByOwnerOf(createUser().getPublicKey(), text, theirs)).toBe(false);
    }
  });

  test('refuse malformed signatures and keys', () => {
    const key = new SigningKey(seedOf(createUser()));
    for (const bad of ['', 'x', '='.repeat(86), 'A'.repeat(86), 'A'.repeat(10_000)]) {
      expect(isSignedByOwnerOf(key.publicKey, 'text', bad)).toBe(false);
    }
    const misspelt = `${key.publicKey.slice(0, 55)}${key.publicKey.endsWith('A') ? 'B' : 'A'}`;
    for (const bad of ['', 'U', 'A'.repeat(56), misspelt, key.publicKey.toLowerCase()]) {
      expect(isSignedByOwnerOf(bad, 'text', key.sign('text'))).toBe(false);
    }
    expect(isBoxKey(createCurve().getPublicKey())).toBe(true);
    for (const bad of ['', key.publicKey, `X${'A'.repeat(55)}`]) expect(isBoxKey(bad)).toBe(false);
    expect(() => new SigningKey('SU')).toThrow();
  });

  test('seal content that only the recipient can open', () => {
    const keys = new ControllerKeys(newControllerSeeds());
    const [recipient, other] = [createCurve(), createCurve()];
    const sealed = keys.seal(Buffer.from('secret'), recipient.getPublicKey());
    expect(Buffer.from(recipient.open(sealed, keys.boxPublicKey) ?? []).toString()).toBe('secret');
    expect(other.open(sealed, keys.boxPublicKey)).toBeNull();
  });
});

describe('a NATS token', () => {
  const issuer = new SigningKey(seedOf(createAccount()));
  const token = signNatsJwt(issuer, { sub: 'U', aud: 'PROBES', nats: { type: 'user' } }, 1_760_000_000_500);

  test('carries its claims and its issuer', () => {
    expect(readNatsJwt(token)).toMatchObject({
      iss: issuer.publicKey, sub: 'U', aud: 'PROBES', iat: 1_760_000_000, nats: { type: 'user' },
    });
  });
  test('is refused after any change', () => {
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const others = JSON.stringify({ iss: issuer.publicKey, sub: 'U', aud: 'CONTROL' });
    const forged = Buffer.from(others).toString('base64url');
    for (const bad of [
      '', 'a.b', `${header}.${forged}.${signature}`, `${header}.${payload}`, `${token}.x`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    ]) expect(readNatsJwt(bad)).toBeNull();
  });
});
