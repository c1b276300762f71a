import { formatUuid, type UuidCache } from './uuid-cache.ts';

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
