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
