import type { UuidCache } from './uuid-cache.ts';
import { formatUuid } from './uuid-text.ts';

/** Reads what ByteWriter wrote; throws RangeError on bytes that end early or numbers out of range. */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #ids: UuidCache | null;
  #at = 0;

  constructor(bytes: Uint8Array, ids: UuidCache | null = null) {
    this.#ids = ids;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    this.#need(1);
    return this.#bytes[this.#at++] as number;
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

  f64(): number {
    this.#need(8);
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  text(): string {
    const size = this.varint();
    this.#need(size);
    const value = this.#bytes.toString('utf8', this.#at, this.#at + size);
    this.#at += size;
    return value;
  }

  bytes(): Uint8Array {
    const size = this.varint();
    this.#need(size);
    const value = this.#bytes.subarray(this.#at, this.#at + size);
    this.#at += size;
    return value;
  }

  uuid(): string {
    this.#need(16);
    const at = this.#at;
    this.#at += 16;
    return this.#ids ? this.#ids.text(this.#bytes, at) : formatUuid(this.#bytes, at);
  }

  #need(size: number): void {
    if (this.#at + size > this.#bytes.length) throw new RangeError('the bytes end too early');
  }
}
