import { randomBytes } from 'node:crypto';

/** A secret to sign webhooks with: 256 random bits behind a prefix that tells scanners what they have found. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}
