import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type CryptoKey } from 'jose';
import { z } from 'zod';

const jwk = z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), kid: z.string().min(1).max(100), x: z.string(), d: z.string() });
const ringSchema = z.object({ keys: z.array(jwk).min(1) });

/** Keys for session tokens: the first one signs, every one verifies. */
export interface KeyRing {
  signing: { kid: string; key: CryptoKey };
  verifying: ReadonlyMap<string, CryptoKey>;
}

/** A ring from the text of a JWK set of private Ed25519 keys, each with a `kid`. Throws an Error that says what is wrong with it. */
export async function parseKeyRing(json: string): Promise<KeyRing> {
  const parsed = ringSchema.safeParse(parseJson(json));
  if (!parsed.success) throw new Error(`JWT key ring: ${parsed.error.issues.map((issue) => `${issue.path.join('.') || 'ring'}: ${issue.message}`).join('; ')}`);
  const verifying = new Map<string, CryptoKey>();
  for (const { kty, crv, x, kid } of parsed.data.keys) verifying.set(kid, (await importJWK({ kty, crv, x }, 'EdDSA')) as CryptoKey);
  const first = parsed.data.keys[0] as z.infer<typeof jwk>;
  return { signing: { kid: first.kid, key: (await importJWK(first, 'EdDSA')) as CryptoKey }, verifying };
}

/** The ring in `file`, made there (mode 0600) if the file is missing. Two that start at once end with the same ring. */
export async function openKeyRing(file: string): Promise<KeyRing> {
  const there = readIfThere(file);
  if (there !== null) return parseKeyRing(there);
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
  return parseKeyRing(readFileSync(file, 'utf8'));
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
