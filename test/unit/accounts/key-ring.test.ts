import { describe, expect, test } from 'vitest';
import { newKeyRing, parseKeyRing } from '../../../controller/accounts/sessions/key-ring.ts';
import { SessionTokens } from '../../../controller/accounts/sessions/credentials.ts';

const NOW = 1_760_000_000_000;
const claims = { userId: 'u', secret: 's' };

describe('the key ring', () => {
  test('signs with its first key and verifies with all of them', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(async () => JSON.parse(await newKeyRing()).keys[0] as object),
    );
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
  ])('rejects %j with a reason', async (text) => {
    await expect(parseKeyRing(text)).rejects.toThrow('JWT key ring: ');
  });
});

test('a token expires at its expiry second, and a forged token is invalid rather than expired', async () => {
  const tokens = new SessionTokens(await parseKeyRing(await newKeyRing()));
  const token = await tokens.sign(claims, NOW, NOW + 60_000);
  expect(await tokens.verify(token, NOW + 59_000)).toEqual(claims);
  await expect(tokens.verify(token, NOW + 60_000)).rejects.toMatchObject({ code: 'TOKEN_EXPIRED' });
  const forged = `${token.slice(0, -4)}AAAA`;
  await expect(tokens.verify(forged, NOW + 60_000)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
});
