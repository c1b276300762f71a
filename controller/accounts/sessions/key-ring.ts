import { hkdfSync, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type CryptoKey } from 'jose';
import { z } from 'zod';

const jwk = z.object({
  kty: z.literal('OKP'), crv: z.literal('Ed25519'), kid: z.string().min(1).max(100),
  x: z.string(), d: z.string(),
});
const ringSchema = z.object({ keys: z.tuple([jwk], jwk) });

/** Keys for session tokens. The first key signs; all keys verify. */
export interface KeyRing {
  signing: { kid: string; key: CryptoKey };
  verifying: ReadonlyMap<string, CryptoKey>;
  /** Derives a 256-bit key for another purpose from each key in the ring, that of the signing key first. */
  derive(purpose: string): Buffer[];
}

/** Parses a JWK set of private Ed25519 keys, each with a `kid`. Throws an Error that lists all problems. */
export async function parseKeyRing(json: string): Promise<KeyRing> {
  const { data, error } = ringSchema.safeParse(parseJson(json));
  if (error !== undefined) {
    const faults = error.issues.map(({ path, message }) => `${path.join('.') || 'ring'}: ${message}`);
    throw new Error(`JWT key ring: ${faults.join('; ')}`);
  }
  const verifying = new Map<string, CryptoKey>();
  for (const { kty, crv, x, kid } of data.keys) verifying.set(kid, await importKey({ kty, crv, x }));
  const [first] = data.keys;
  return {
    signing: { kid: first.kid, key: await importKey(first) }, verifying,
    derive: (purpose) => data.keys.map(({ d }) => {
      return Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', purpose, 32));
    }),
  };
}

/** JSON of a ring with one new key. */
export async function newKeyRing(): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'EdDSA', use: 'sig' };
  return JSON.stringify({ keys: [key] });
}

function importKey(key: Parameters<typeof importJWK>[0]): Promise<CryptoKey> {
  return importJWK(key, 'EdDSA') as Promise<CryptoKey>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
