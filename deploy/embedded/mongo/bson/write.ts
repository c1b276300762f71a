import { GrowingBuffer } from './growing-buffer.ts';
import { BsonType, Value, type Fields } from './value.ts';

/** Anything that a response may contain: plain data, or values already encoded. */
export type Writable =
  | null | undefined | boolean | number | bigint | string | Value | readonly Writable[] | WritableObject;
type WritableObject = { readonly [name: string]: Writable };

/** Builds BSON in a growing buffer. Omits undefined members of objects. */
export class BsonWriter extends GrowingBuffer {
  /** Starts a document or array; pass the result to `end`. */
  begin(): number {
    return this.reserve(4);
  }

  end(start: number): void {
    this.byte(0);
    this.buf.writeInt32LE(this.pos - start, start);
  }

  /** Writes the type byte and the name (a byte string). */
  head(type: number, name: string): void {
    const at = this.reserve(name.length + 2);
    this.buf[at] = type;
    this.buf.write(name, at + 1, 'latin1');
    this.buf[at + 1 + name.length] = 0;
  }

  element(name: string, value: Value): void {
    this.head(value.type, name);
    this.bytes(value.buf, value.at, value.end);
  }

  /** Copies the element that `fields` stands on. */
  copy(fields: Fields): void {
    this.bytes(fields.buf, fields.nameAt - 1, fields.end);
  }

  object(members: WritableObject): void {
    const start = this.begin();
    for (const [name, value] of Object.entries(members)) {
      if (value !== undefined) this.member(name, value);
    }
    this.end(start);
  }

  member(name: string, value: Exclude<Writable, undefined>): void {
    if (value === null) return this.head(BsonType.null, name);
    if (value instanceof Value) return this.element(name, value);
    if (typeof value === 'number') return this.number(name, value);
    if (typeof value === 'string') return this.string(name, value);
    if (typeof value === 'boolean') {
      this.head(BsonType.boolean, name);
      return this.byte(value ? 1 : 0);
    }
    if (typeof value === 'bigint') {
      this.head(BsonType.int64, name);
      const at = this.reserve(8);
      this.buf.writeBigInt64LE(value, at);
    } else if (Array.isArray(value)) {
      this.head(BsonType.array, name);
      const start = this.begin();
      value.forEach((item: Writable, index) => this.member(String(index), item ?? null));
      this.end(start);
    } else {
      this.head(BsonType.object, name);
      this.object(value as WritableObject);
    }
  }

  private number(name: string, value: number): void {
    const isInt32 = Object.is(value | 0, value);
    this.head(isInt32 ? BsonType.int32 : BsonType.double, name);
    const at = this.reserve(isInt32 ? 4 : 8);
    if (isInt32) this.buf.writeInt32LE(value, at);
    else this.buf.writeDoubleLE(value, at);
  }

  private string(name: string, text: string): void {
    this.head(BsonType.string, name);
    const size = Buffer.byteLength(text, 'utf8');
    const at = this.reserve(5 + size);
    this.buf.writeInt32LE(size + 1, at);
    this.buf.write(text, at + 4, 'utf8');
    this.buf[at + 4 + size] = 0;
  }

  /** The bytes written so far; the writer must not be used afterwards. */
  finish(): Buffer {
    return this.buf.subarray(0, this.pos);
  }
}

export function encodeObject(members: WritableObject): Buffer {
  const writer = new BsonWriter();
  writer.object(members);
  return writer.finish();
}

export function encodeValue(value: Exclude<Writable, undefined>): Value {
  const writer = new BsonWriter();
  writer.member('', value);
  const buf = writer.finish();
  return new Value(buf[0] as number, buf, 2, buf.length);
}
