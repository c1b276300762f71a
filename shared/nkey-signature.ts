import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { fromPublic } from 'nkeys.js';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const KEY_BYTES = 32;

/**
 * The Ed25519 key in a public nkey (base32 of prefix byte, key and checksum). Node verifies a signature in
 * 0.1 ms; the nkeys library blocks the event loop for 5 to 20 ms. @throws if the text is not a public nkey.
 */
export function verificationKey(nkey: string): KeyObject {
  // Validates the key type and checksum.
  fromPublic(nkey);
  return ed25519Key(decodeBase32(nkey).subarray(1, 1 + KEY_BYTES));
}

/** A public Ed25519 key of 32 bytes. */
export function ed25519Key(bytes: Uint8Array): KeyObject {
  const x = Buffer.from(bytes).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** Whether `signature` (base64url) over the UTF-8 of `text` was made with the private key of `key`. */
export function isSignedBy(key: KeyObject, text: string, signature: string): boolean {
  return verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64url'));
}

/** The bytes of an nkey or a seed. */
export function decodeBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text) {
    value = ((value << 5) | BASE32.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}
