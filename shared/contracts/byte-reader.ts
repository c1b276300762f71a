const HEX = Object.freeze(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')));

/** Reads what ByteWriter wrote; throws RangeError on bytes that end early or numbers out of range. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
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
    const b = this.#bytes;
    const at = this.#at;
    this.#at += 16;
    const h = (offset: number): string => HEX[b[at + offset] as number] as string;
    return `${h(0)}${h(1)}${h(2)}${h(3)}-${h(4)}${h(5)}-${h(6)}${h(7)}-${h(8)}${h(9)}-${h(10)}${h(11)}${h(12)}${h(13)}${h(14)}${h(15)}`;
  }

  #need(size: number): void {
    if (this.#at + size > this.#bytes.length) throw new RangeError('the bytes end too early');
  }
}
