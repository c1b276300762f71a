import { hkdfSync, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type CryptoKey } from 'jose';
import { z } from 'zod';

const jwk = z.object({
  kty: z.literal('OKP'), crv: z.literal('Ed25519'), kid: z.string().min(1).max(100),
  x: z.string(), d: z.string(),
});
const ringSchema = z.object({ keys: z.tuple([jwk], jwk) });

/** Keys for session tokens: the first one signs, all of them verify. */
export interface KeyRing {
  signing: { kid: string; key: CryptoKey };
  verifying: ReadonlyMap<string, CryptoKey>;
  /** 256-bit keys for another purpose, one of each key in the ring, that of the signing key first. */
  derive(purpose: string): Buffer[];
}

/** A ring from a JWK set of private Ed25519 keys, each with a `kid`. Throws an Error that lists faults. */
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

/** The ring in `file`, created (mode 0600) if missing. Two that start at once end up with the same ring. */
export async function openKeyRing(file: string): Promise<KeyRing> {
  if (!existsSync(file)) await createKeyRing(file);
  return parseKeyRing(readFileSync(file, 'utf8'));
}

async function createKeyRing(file: string): Promise<void> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'EdDSA', use: 'sig' };
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify({ keys: [key] }), { mode: 0o600, flush: true });
  try {
    // A link appears whole or not at all, and fails if the name is taken.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
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
