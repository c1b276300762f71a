import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openKeyRing, parseKeyRing } from '../../../controller/accounts/sessions/key-ring.ts';
import { SessionTokens } from '../../../controller/accounts/sessions/tokens.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-ring-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const NOW = 1_760_000_000_000;
const claims = { userId: 'u', sessionId: 's' };

describe('the key ring', () => {
  test('is created once, readable by its owner only, even if several processes start at once', async () => {
    const file = join(dir, 'deep', 'jwt-keys.json');
    const rings = await Promise.all([1, 2, 3, 4].map(() => openKeyRing(file)));
    expect(new Set(rings.map((ring) => ring.signing.kid)).size).toBe(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(dir, 'deep'))).toEqual(['jwt-keys.json']);
    expect((await openKeyRing(file)).signing.kid).toBe(rings[0]?.signing.kid);
  });

  test('signs with its first key and verifies with all of them', async () => {
    const [one, two] = await Promise.all(['1', '2'].map(async (name) => {
      await openKeyRing(join(dir, name));
      return JSON.parse(readFileSync(join(dir, name), 'utf8')).keys[0] as object;
    }));
    const before = new SessionTokens(await parseKeyRing(JSON.stringify({ keys: [one] })));
    const during = new SessionTokens(await parseKeyRing(JSON.stringify({ keys: [two, one] })));
    const after = new SessionTokens(await parseKeyRing(JSON.stringify({ keys: [two] })));
    const old = await before.sign(claims, NOW, NOW + 60_000);
    expect(await during.verify(old, NOW)).toEqual(claims);
    expect(await after.verify(await during.sign(claims, NOW, NOW + 60_000), NOW)).toEqual(claims);
    await expect(after.verify(old, NOW)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });

  test.each([
    '', 'x', '{}', '{"keys":[]}', '{"keys":[{"kty":"RSA"}]}',
    '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"a","kid":"k"}]}',
  ])('%j is refused with a reason', async (text) => {
    await expect(parseKeyRing(text)).rejects.toThrow('JWT key ring: ');
    writeFileSync(join(dir, 'bad'), text);
    await expect(openKeyRing(join(dir, 'bad'))).rejects.toThrow('JWT key ring: ');
  });
});

test('a token expires at the second it names; an invalid one is never called expired', async () => {
  const tokens = new SessionTokens(await openKeyRing(join(dir, 'ring')));
  const token = await tokens.sign(claims, NOW, NOW + 60_000);
  expect(await tokens.verify(token, NOW + 59_000)).toEqual(claims);
  await expect(tokens.verify(token, NOW + 60_000)).rejects.toMatchObject({ code: 'TOKEN_EXPIRED' });
  const forged = `${token.slice(0, -4)}AAAA`;
  await expect(tokens.verify(forged, NOW + 60_000)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
});
