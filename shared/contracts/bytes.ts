import type { z } from 'zod';
import { formatUuid, type UuidCache } from '../ids.ts';

/** Reads what ByteWriter wrote. Throws RangeError on truncated input or numbers out of range. */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #ids: UuidCache | null;
  #at = 0;

  constructor(bytes: Uint8Array, ids: UuidCache | null = null) {
    this.#ids = ids;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get bytesLeft(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#bytes[this.#skip(1)] as number;
  }

  varint(): number {
    const first = this.#bytes[this.#at];
    if (first !== undefined && first < 128) {
      this.#at += 1;
      return first;
    }
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 8; count += 1) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw new RangeError('a number is too large');
  }

  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    const start = this.#skip(this.varint());
    return this.#bytes.toString('utf8', start, this.#at);
  }

  bytes(): Uint8Array {
    const start = this.#skip(this.varint());
    return this.#bytes.subarray(start, this.#at);
  }

  uuid(): string {
    const at = this.#skip(16);
    return this.#ids ? this.#ids.text(this.#bytes, at) : formatUuid(this.#bytes, at);
  }

  /** Advances by `size` bytes and returns the offset where they start. */
  #skip(size: number): number {
    const start = this.#at;
    if (start + size > this.#bytes.length) throw new RangeError('the bytes end too early');
    this.#at = start + size;
    return start;
  }
}

/** A growing buffer. Varints are unsigned LEB128 up to 2^53 - 1. */
export class ByteWriter {
  #bytes: Buffer;
  #at = 0;

  /** Its memory is its own: a few bytes that are kept for an hour must not keep a shared buffer of 8 kB. */
  constructor(size = 4096) {
    this.#bytes = Buffer.allocUnsafeSlow(size);
  }

  get length(): number {
    return this.#at;
  }

  /** Discards everything after the first `length` bytes and keeps the allocated space. */
  reset(length = 0): void {
    this.#at = length;
  }

  u8(value: number): void {
    this.#ensureCapacity(1);
    this.#bytes[this.#at++] = value;
  }

  varint(value: number): void {
    this.#ensureCapacity(8);
    if (value < 128) {
      this.#bytes[this.#at++] = value;
      return;
    }
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#at++] = (rest % 128) | 128;
      rest = rest > 0x7fffffff ? Math.floor(rest / 128) : rest >>> 7;
    }
    this.#bytes[this.#at++] = rest;
  }

  /** Signed; small magnitudes take few bytes. */
  zigzag(value: number): void {
    this.varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  /** Length-prefixed UTF-8 text. */
  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.varint(size);
    this.#ensureCapacity(size);
    this.#at += this.#bytes.write(value, this.#at, 'utf8');
  }

  /** Length-prefixed raw bytes. */
  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.#ensureCapacity(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  /** Appends `size` bytes; the caller must fill them before anything else is written. */
  reserve(size: number): Uint8Array {
    this.#ensureCapacity(size);
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }

  /** The 16 bytes of a lower-case UUID in its usual form. */
  uuid(value: string): void {
    this.#ensureCapacity(16);
    const bytes = this.#bytes;
    const start = this.#at;
    let at = 0;
    for (let index = 0; index < 16; index += 1) {
      if (index === 4 || index === 6 || index === 8 || index === 10) at += 1;
      bytes[start + index] = (hexValue(value.charCodeAt(at)) << 4) | hexValue(value.charCodeAt(at + 1));
      at += 2;
    }
    this.#at = start + 16;
  }

  /** A copy of what was written. */
  take(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#at);
  }

  /** A view of what was written; valid until the next write. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  #ensureCapacity(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + size));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}

/**
 * Value of a hexadecimal digit's character code, upper or lower case. Branchless, because a branch on whether
 * the digit is a letter would be unpredictable.
 */
function hexValue(code: number): number {
  return (code & 0x0f) + 9 * (code >>> 6);
}

/** Default limit for messages on the bus. */
const MAX_MESSAGE_BYTES = 1_048_576;

/** Parses JSON. Returns null if it is longer than `maxBytes`, malformed, or doesn't match the schema. */
export function decodeJson<T>(
  schema: z.ZodType<T>, bytes: Uint8Array, maxBytes = MAX_MESSAGE_BYTES,
): T | null {
  if (bytes.length > maxBytes) return null;
  try {
    const parsed = schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
