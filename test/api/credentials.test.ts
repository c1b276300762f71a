import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  base64url, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTHeaderParameters,
} from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeyRingStore } from '../../controller/accounts/sessions/key-ring-store.ts';
import type { Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';
import { systemClock } from '../../shared/time.ts';

let app: TestApp;
let tenant: Tenant;
let offsetMs = 0;
beforeAll(async () => {
  app = await makeApp({ clock: { ...systemClock, now: () => Date.now() + offsetMs } });
  tenant = await newTenant(app);
});
afterAll(() => app.close());

const as = (headers: Record<string, string>) => app.client.get('/api/monitors', { headers });
const bearer = (token: string) => as({ authorization: `Bearer ${token}` });

describe('credentials', () => {
  test('are required', async () => {
    expect((await as({})).code).toBe('MISSING_AUTH');
    expect((await as({ authorization: 'Basic YTpi' })).code).toBe('MISSING_AUTH');
    expect((await as({ 'x-api-key': '' })).code).toBe('MISSING_API_KEY');
    expect((await as({ 'x-api-key': '   ' })).code).toBe('MISSING_API_KEY');
  });

  test('with any unknown key get the same response', async () => {
    const good = tenant.readKeyText;
    const bodies = await Promise.all(
      [
        'x', good.slice(0, -1), `${good}0`, good.replace('fw_', 'fx_'), good.slice(3), good.toUpperCase(),
        `fw_${'0'.repeat(64)}`, `${good}, ${good}`,
      ]
        .map(async (key) => (await as({ 'x-api-key': key })).body as unknown),
    );
    for (const body of bodies) {
      expect(body).toEqual({
        success: false, error: { code: 'INVALID_API_KEY', message: 'The API key is not valid' },
      });
    }
    expect((await as({ 'x-api-key': good })).status).toBe(200);
  });

  test('from a bearer token take precedence over a key, even if invalid', async () => {
    expect((await as({ authorization: 'Bearer nonsense', 'x-api-key': tenant.readKeyText })).code).toBe(
      'INVALID_TOKEN',
    );
    expect((await as({ authorization: 'Bearer ', 'x-api-key': tenant.readKeyText })).code).toBe(
      'INVALID_TOKEN',
    );
    expect((await as({ authorization: `Bearer ${tenant.readKeyText}` })).code).toBe('INVALID_TOKEN');
    expect((await as({ authorization: `bearer ${tenant.owner.token}`, 'x-api-key': 'bad' })).status).toBe(
      200,
    );
  });
});

describe('a token of another issuer', () => {
  let ours: { header: JWTHeaderParameters; payload: Loose };
  let foreign: { publicKey: CryptoKey; privateKey: CryptoKey };
  beforeAll(async () => {
    const [header, payload] = tenant.owner.token.split('.').slice(0, 2).map(
      (part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Loose,
    );
    ours = { header, payload };
    foreign = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  });
  const forge = (header: Loose, payload: Loose, key: CryptoKey | Uint8Array = foreign.privateKey) =>
    new SignJWT(payload).setProtectedHeader(header).sign(key);
  const part = (value: unknown) => base64url.encode(JSON.stringify(value));

  test('is INVALID_TOKEN: without an algorithm, with a public key as secret, with a key of its own', async () => {
    const { header, payload } = ours;
    const jwk = await exportJWK(foreign.publicKey);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const tokens = [
      `${part({ ...header, alg: 'none' })}.${part(payload)}.`,
      `${part({ ...header, alg: 'None' })}.${part(payload)}.`,
      await forge({ ...header, alg: 'HS256' }, payload, new TextEncoder().encode(header.kid as string)),
      await forge({ ...header, alg: 'RS256' }, payload, rsa.privateKey as never),
      await forge({ ...header, jwk }, payload),
      await forge({ ...header, x5u: 'https://evil.example/x' }, payload),
      await forge({ ...header, kid: '../../x' }, payload),
      await forge({ ...header, kid: '__proto__' }, payload),
      await forge({ ...header, kid: undefined }, payload),
      await forge(header, payload),
      tenant.owner.token.slice(0, -2),
      tenant.owner.token.replace(/\.[^.]+\./, `.${part({ ...payload, sub: randomUUID() })}.`),
      'a.b.c',
      'a'.repeat(10_000),
    ];
    for (const token of tokens) expect((await bearer(token)).code, token.slice(0, 80)).toBe('INVALID_TOKEN');
  });

  test('causes no outgoing request', async () => {
    let requests = 0;
    const lure = createServer((_request, response) => {
      requests += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => lure.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(lure.address() as AddressInfo).port}/keys`;
    for (const name of ['jku', 'x5u']) {
      const token = await forge({ ...ours.header, [name]: url }, ours.payload);
      expect((await bearer(token)).code).toBe('INVALID_TOKEN');
    }
    expect(requests).toBe(0);
    lure.close();
  });
});

describe('a token of this installation', () => {
  const resign = async (change: (jwt: SignJWT) => SignJWT, payload: Loose = {}, typ = 'session+jwt') => {
    const ring = await new KeyRingStore(app.db).loadOrCreate();
    const claims =
      JSON.parse(Buffer.from(tenant.owner.token.split('.')[1] as string, 'base64url').toString()) as Loose;
    const jwt = new SignJWT({ sid: claims.sid, ...payload }).setProtectedHeader({
      alg: 'EdDSA', kid: ring.signing.kid, typ,
    })
      .setSubject(claims.sub);
    return change(jwt).sign(ring.signing.key);
  };
  const whole = (jwt: SignJWT) =>
    jwt.setIssuer('farwatch').setAudience('farwatch-api').setIssuedAt().setExpirationTime('1h');

  test('is valid only with issuer, audience, type, expiry, subject and session', async () => {
    expect((await bearer(await resign(whole))).status).toBe(200);
    const bad = await Promise.all([
      resign((jwt) => whole(jwt).setIssuer('elsewhere')),
      resign((jwt) => whole(jwt).setAudience('other-api')),
      resign((jwt) => jwt.setIssuer('farwatch').setAudience('farwatch-api').setIssuedAt()),
      resign(whole, { sid: randomUUID() }),
      resign(whole, { sid: { $gt: '' } }),
      resign((jwt) => whole(jwt).setSubject(randomUUID())),
      resign(whole, {}, 'JWT'),
      resign(whole, {}, 'at+jwt'),
      resign((jwt) => whole(jwt).setNotBefore('1h')),
    ]);
    for (const token of bad) expect((await bearer(token)).code).toBe('INVALID_TOKEN');
  });

  test('expires', async () => {
    offsetMs = 7 * 86_400_000 - 60_000;
    expect((await tenant.owner.client.get('/api/auth/me')).status).toBe(200);
    offsetMs += 120_000;
    expect((await tenant.owner.client.get('/api/auth/me')).code).toBe('TOKEN_EXPIRED');
    offsetMs = 0;
  });

  test('reflects a changed role or an ended membership at the next request', async () => {
    const person = await newMember(app, tenant, 'admin');
    const { members } = app.accounts.deps;
    expect((await person.client.get('/api/auth/api-keys')).status).toBe(200);
    const [membership] = await members.listOfUser(person.userId);
    await app.db.collection<{ _id: string }>('members').updateOne(
      { _id: membership?._id ?? '' }, { $set: { role: 'viewer' } },
    );
    expect((await person.client.get('/api/auth/api-keys')).code).toBe('INSUFFICIENT_PERMISSIONS');
    expect((await person.client.get('/api/monitors')).status).toBe(200);
    await members.delete(membership?._id ?? '');
    expect((await person.client.get('/api/monitors')).code).toBe('ORGANIZATION_NOT_FOUND');
    expect((await person.client.get('/api/auth/me')).status).toBe(200);
  });
});
