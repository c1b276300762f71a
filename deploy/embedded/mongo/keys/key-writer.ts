import { EMPTY_ARRAY_CLASS, NULL_CLASS, typeClass } from '../bson/compare.ts';
import { GrowingBuffer } from '../bson/growing-buffer.ts';
import { BsonType, Fields, toDouble, type Value } from '../bson/value.ts';

/**
 * Encodes values so that comparing bytes compares values in MongoDB's order. Every encoding starts with the
 * byte of its type class and is no prefix of another; the byte after it is always 0x01 to 0xfe.
 */
export class KeyWriter extends GrowingBuffer {
  /** Writes one index component, with all bytes inverted if descending. A missing value counts as null. */
  component(value: Value | undefined, descending = false): this {
    const start = this.pos;
    this.value(value);
    if (descending) for (let i = start; i < this.pos; i++) this.buf[i] = ~(this.buf[i] as number) & 0xff;
    return this;
  }

  emptyArray(descending = false): this {
    this.byte(descending ? ~EMPTY_ARRAY_CLASS & 0xff : EMPTY_ARRAY_CLASS);
    return this;
  }

  /** A copy of the bytes written so far. */
  take(): Buffer {
    const out = Buffer.allocUnsafeSlow(this.pos);
    this.buf.copy(out, 0, 0, this.pos);
    return out;
  }

  private value(value: Value | undefined): void {
    if (value === undefined) return this.byte(NULL_CLASS);
    this.byte(typeClass(value.type));
    switch (value.type) {
      case BsonType.int32:
      case BsonType.double:
      case BsonType.int64:
        this.number(value);
        break;
      case BsonType.string:
        this.text(value.buf, value.at + 4, value.end - 1);
        break;
      case BsonType.object:
      case BsonType.array:
        this.document(value);
        break;
      case BsonType.binary: {
        const at = this.reserve(4);
        this.buf.writeUInt32BE(value.buf.readInt32LE(value.at), at);
        this.bytes(value.buf, value.at + 4, value.end);
        break;
      }
      case BsonType.date: {
        const at = this.reserve(8);
        this.buf.writeBigInt64BE(value.buf.readBigInt64LE(value.at), at);
        this.buf[at] = (this.buf[at] as number) ^ 0x80;
        break;
      }
      default:
        this.bytes(value.buf, value.at, value.end);
    }
  }

  /** Escapes zero bytes as 00 ff and ends with 00 01, so that "a" < "a\0". */
  private text(source: Buffer, from: number, to: number): void {
    let start = from;
    for (let zero = source.indexOf(0, from); zero >= 0 && zero < to; zero = source.indexOf(0, start)) {
      this.bytes(source, start, zero + 1);
      this.byte(0xff);
      start = zero + 1;
    }
    this.bytes(source, start, to);
    this.byte(0);
    this.byte(1);
  }

  private document(value: Value): void {
    const fields = new Fields(value);
    while (fields.advance()) {
      if (value.type === BsonType.object) {
        this.byte(typeClass(fields.type));
        this.bytes(fields.buf, fields.nameAt, fields.nameEnd + 1);
      }
      this.value(fields.value());
    }
    this.byte(0);
  }

  /**
   * The double's bits in ascending form; for integers past 2^53, followed by the difference from the double.
   */
  private number(value: Value): void {
    const double = toDouble(value);
    const at = this.reserve(8);
    if (Number.isNaN(double)) {
      this.buf.fill(0, at, at + 8);
      return;
    }
    this.buf.writeDoubleBE(double === 0 ? 0 : double, at);
    if (double < 0) for (let i = at; i < at + 8; i++) this.buf[i] = ~(this.buf[i] as number) & 0xff;
    else this.buf[at] = (this.buf[at] as number) ^ 0x80;
    if (Math.abs(double) < 2 ** 53) return;
    const isLong = value.type === BsonType.int64;
    const rest = isLong ? value.buf.readBigInt64LE(value.at) - BigInt(double) : 0n;
    const restAt = this.reserve(8);
    this.buf.writeBigInt64BE(rest, restAt);
    this.buf[restAt] = (this.buf[restAt] as number) ^ 0x80;
  }
}

/** The encoding of one value. */
export function encodeKey(value: Value | undefined): Buffer {
  return new KeyWriter().component(value).take();
}
