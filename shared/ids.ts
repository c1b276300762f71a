import { createHash, randomBytes } from 'node:crypto';

/** Number of shards; fixed for the life of an installation. */
export const SHARD_COUNT = 16;

/** UUID v7 (RFC 9562): sorts by creation time. */
export function newId(nowMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  return formatUuid(bytes, 0x70);
}

/**
 * UUID version 8 from the SHA-256 of the parts: the same parts yield the same id, so repeated writes are
 * idempotent.
 */
export function derivedId(...parts: (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return formatUuid(digest.subarray(0, 16), 0x80);
}

/** 256 random bits as 64 hexadecimal characters. */
export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

/** Lower-case hexadecimal SHA-256, for secrets that already have 256 random bits. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** FNV-1a, 32 bit, over the UTF-8 bytes of `text`. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 127) return fnv1aBytes(Buffer.from(text, 'utf8'));
    hash = Math.imul(hash ^ unit, 0x01000193);
  }
  return hash >>> 0;
}

function fnv1aBytes(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** The shard (0 to SHARD_COUNT - 1) of a monitor, region or destination. */
export function shardOf(id: string): number {
  return fnv1a(id) % SHARD_COUNT;
}

/** A shard as written in subjects and journal ids: two decimal digits. */
export function shardName(shard: number): string {
  return shard < 10 ? `0${shard}` : String(shard);
}

function formatUuid(bytes: Uint8Array, version: number): string {
  const copy = Buffer.from(bytes);
  copy[6] = ((copy[6] as number) & 0x0f) | version;
  copy[8] = ((copy[8] as number) & 0x3f) | 0x80;
  const hex = copy.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
