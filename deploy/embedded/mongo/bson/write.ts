import { BsonType, Value, type Fields } from './value.ts';

const MIN_CAPACITY = 256;

/** Anything a reply may hold: plain data, or values that are already encoded. */
export type Writable =
  | null | undefined | boolean | number | bigint | string | Value | readonly Writable[] | WritableObject;
type WritableObject = { readonly [name: string]: Writable };

/** Builds BSON in a growing buffer. Undefined members of objects are left out. */
export class BsonWriter {
  private buf: Buffer;
  private pos = 0;

  constructor(capacity = MIN_CAPACITY) {
    this.buf = Buffer.allocUnsafe(Math.max(capacity, MIN_CAPACITY));
  }

  private room(bytes: number): number {
    const at = this.pos;
    if (at + bytes > this.buf.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.buf.length * 2, at + bytes));
      this.buf.copy(larger, 0, 0, at);
      this.buf = larger;
    }
    this.pos = at + bytes;
    return at;
  }

  int32(value: number): void {
    const at = this.room(4);
    this.buf.writeInt32LE(value, at);
  }

  byte(value: number): void {
    const at = this.room(1);
    this.buf[at] = value;
  }

  bytes(source: Buffer, from: number, to: number): void {
    const at = this.room(to - from);
    source.copy(this.buf, at, from, to);
  }

  /** Starts a document or array; pass the result to `end`. */
  begin(): number {
    return this.room(4);
  }

  end(start: number): void {
    this.byte(0);
    this.buf.writeInt32LE(this.pos - start, start);
  }

  /** Writes the type byte and the name (a byte string). */
  head(type: number, name: string): void {
    const at = this.room(name.length + 2);
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

  string(text: string): void {
    const size = Buffer.byteLength(text, 'utf8');
    const at = this.room(5 + size);
    this.buf.writeInt32LE(size + 1, at);
    this.buf.write(text, at + 4, 'utf8');
    this.buf[at + 4 + size] = 0;
  }

  double(value: number): void {
    const at = this.room(8);
    this.buf.writeDoubleLE(value, at);
  }

  int64(value: bigint): void {
    const at = this.room(8);
    this.buf.writeBigInt64LE(value, at);
  }

  object(members: WritableObject): void {
    const start = this.begin();
    for (const [name, value] of Object.entries(members)) {
      if (value !== undefined) this.member(name, value);
    }
    this.end(start);
  }

  member(name: string, value: Exclude<Writable, undefined>): void {
    if (value === null) this.head(BsonType.null, name);
    else if (value instanceof Value) this.element(name, value);
    else if (typeof value === 'number') this.number(name, value);
    else if (typeof value === 'string') {
      this.head(BsonType.string, name);
      this.string(value);
    } else if (typeof value === 'boolean') {
      this.head(BsonType.boolean, name);
      this.byte(value ? 1 : 0);
    } else if (typeof value === 'bigint') {
      this.head(BsonType.int64, name);
      this.int64(value);
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
    if (Object.is(value | 0, value)) {
      this.head(BsonType.int32, name);
      this.int32(value);
    } else {
      this.head(BsonType.double, name);
      this.double(value);
    }
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
