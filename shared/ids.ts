import { createHash, randomBytes } from 'node:crypto';

/** UUID v7 (RFC 9562): sorts by creation time. */
export function newId(nowMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  return uuidOf(bytes, 0x70);
}

/**
 * UUID version 8 from the SHA-256 of the parts: the same parts yield the same id, so repeated writes are
 * idempotent.
 */
export function derivedId(...parts: (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return uuidOf(digest.subarray(0, 16), 0x80);
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

/** FNV-1a, 32 bit, of `bytes[from, stop)`. */
export function fnv1aBytes(bytes: Uint8Array, from = 0, stop = bytes.length): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < stop; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash >>> 0;
}

/** Finalizer of MurmurHash3 (32 bit, public domain). FNV alone leaves the high bits of similar keys alike. */
export function mix(hash: number): number {
  let value = hash >>> 0;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Shards of an installation that chose no other number at its first start. */
export const DEFAULT_SHARDS = 16;
export const MAX_SHARDS = 256;

/**
 * How an installation divides its monitors, regions, organizations and destinations into shards. Fixed for
 * its life, because the journal, the leases and every probe's lanes are by shard.
 */
export class ShardMap {
  readonly count: number;
  /** From 0 to `count` - 1. */
  readonly all: readonly number[];

  constructor(count: number) {
    this.count = count;
    this.all = Object.freeze(Array.from({ length: count }, (_, shard) => shard));
  }

  readonly of = (id: string): number => fnv1a(id) % this.count;
}

/** A shard as written in subjects and journal ids: two decimal digits, or three from 100 on. */
export function shardName(shard: number): string {
  return shard < 10 ? `0${shard}` : String(shard);
}

function uuidOf(bytes: Uint8Array, version: number): string {
  const copy = Uint8Array.from(bytes);
  copy[6] = ((copy[6] as number) & 0x0f) | version;
  copy[8] = ((copy[8] as number) & 0x3f) | 0x80;
  return formatUuid(copy, 0);
}

const HEX = Object.freeze(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')));

/** The lower-case UUID of the 16 bytes at `at`. */
export function formatUuid(bytes: Uint8Array, at: number): string {
  const h = (offset: number): string => HEX[bytes[at + offset] as number] as string;
  return `${h(0)}${h(1)}${h(2)}${h(3)}-${h(4)}${h(5)}-${h(6)}${h(7)}-${h(8)}${h(9)}-${h(10)}${h(11)}${h(12)}${h(13)}${h(14)}${h(15)}`;
}

/** Skips the bounds checks of Buffer's methods, which would cost more than the rest of a cache lookup. */
function int32At(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
    | ((bytes[at + 3] as number) << 24);
}

/** A power of two. The last bits of a UUID select its slot; a new UUID evicts the previous one. */
const CACHE_SLOTS = 4096;

/** Caches the text of recurring UUIDs: formatting them costs more than decoding the rest of a packed row. */
export class UuidCache {
  readonly #keys = new Int32Array(CACHE_SLOTS * 4);
  readonly #texts = new Array<string | undefined>(CACHE_SLOTS).fill(undefined);

  /** The UUID of the 16 bytes at `at`. */
  text(bytes: Uint8Array, at: number): string {
    const a = int32At(bytes, at);
    const b = int32At(bytes, at + 4);
    const c = int32At(bytes, at + 8);
    const d = int32At(bytes, at + 12);
    const slot = (d ^ (d >>> 16)) & (CACHE_SLOTS - 1);
    const keys = this.#keys;
    const cached = this.#texts[slot];
    const key = slot * 4;
    if (cached !== undefined && keys[key] === a && keys[key + 1] === b && keys[key + 2] === c &&
      keys[key + 3] === d) {
      return cached;
    }
    keys[key] = a;
    keys[key + 1] = b;
    keys[key + 2] = c;
    keys[key + 3] = d;
    return (this.#texts[slot] = formatUuid(bytes, at));
  }
}
