/** BSON element types, by their byte in the format (bsonspec.org, version 1.1). */
export const BsonType = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binary: 5,
  objectId: 7,
  boolean: 8,
  date: 9,
  null: 10,
  int32: 16,
  int64: 18,
} as const;

const EMPTY_BYTES = 5;
const DOLLAR = '$'.charCodeAt(0);

/** One encoded BSON value: `at` to `end` is its payload, without type byte and name. */
export class Value {
  readonly type: number;
  readonly buf: Buffer;
  readonly at: number;
  readonly end: number;

  constructor(type: number, buf: Buffer, at: number, end: number) {
    this.type = type;
    this.buf = buf;
    this.at = at;
    this.end = end;
  }
}

/** Size in bytes of the payload of `type` that starts at `at`; null for an unsupported type. */
export function payloadSize(type: number, buf: Buffer, at: number): number | null {
  switch (type) {
    case BsonType.int32:
      return 4;
    case BsonType.double:
    case BsonType.date:
    case BsonType.int64:
      return 8;
    case BsonType.string:
      return 4 + buf.readInt32LE(at);
    case BsonType.object:
    case BsonType.array:
      return buf.readInt32LE(at);
    case BsonType.binary:
      return 5 + buf.readInt32LE(at);
    case BsonType.objectId:
      return 12;
    case BsonType.boolean:
      return 1;
    case BsonType.null:
      return 0;
    default:
      return null;
  }
}

/** Walks the elements of a document or array that `checkDocument` has accepted. */
export class Fields {
  readonly buf: Buffer;
  private next: number;
  private readonly last: number;
  type = 0;
  nameAt = 0;
  nameEnd = 0;
  at = 0;
  end = 0;

  constructor(doc: Value) {
    this.buf = doc.buf;
    this.next = doc.at + 4;
    this.last = doc.end - 1;
  }

  /** Moves to the next element; false at the end. */
  advance(): boolean {
    if (this.next >= this.last) return false;
    const buf = this.buf;
    this.type = buf[this.next] as number;
    let p = this.next + 1;
    this.nameAt = p;
    while (buf[p] !== 0) p++;
    this.nameEnd = p;
    this.at = p + 1;
    this.end = this.at + (payloadSize(this.type, buf, this.at) as number);
    this.next = this.end;
    return true;
  }

  /** The element's name as a byte string: one char per UTF-8 byte. */
  get name(): string {
    return this.buf.toString('latin1', this.nameAt, this.nameEnd);
  }

  /** Whether the element's name is the byte string `name`. */
  isNamed(name: string): boolean {
    const length = name.length;
    if (this.nameEnd - this.nameAt !== length) return false;
    for (let i = 0; i < length; i++) {
      if (this.buf[this.nameAt + i] !== name.charCodeAt(i)) return false;
    }
    return true;
  }

  value(): Value {
    return new Value(this.type, this.buf, this.at, this.end);
  }
}

/** The whole of `buf` as a document. */
export function documentValue(buf: Buffer): Value {
  return new Value(BsonType.object, buf, 0, buf.length);
}

/** The element with that name (a byte string), or undefined. */
export function fieldOf(doc: Value, name: string): Value | undefined {
  const fields = new Fields(doc);
  while (fields.advance()) if (fields.isNamed(name)) return fields.value();
  return undefined;
}

/** Converts a JavaScript string to a byte string. */
export function toByteString(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function fromByteString(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

export function stringOf(value: Value): string {
  return value.buf.toString('utf8', value.at + 4, value.end - 1);
}

/** The values of an array or document, without their names. */
export function elementsOf(value: Value): Value[] {
  const out: Value[] = [];
  const fields = new Fields(value);
  while (fields.advance()) out.push(fields.value());
  return out;
}

/** Reads a flag as MongoDB does: false, 0 and null are false. */
export function isTruthy(value: Value): boolean {
  if (value.type === BsonType.boolean) return value.buf[value.at] === 1;
  if (value.type === BsonType.null) return false;
  return !isNumber(value) || toDouble(value) !== 0;
}

/** True for a document whose first field starts with `$`, as in operator documents. */
export function isOperatorObject(value: Value): boolean {
  const isFilled = value.type === BsonType.object && value.end - value.at > EMPTY_BYTES;
  return isFilled && value.buf[value.at + 5] === DOLLAR;
}

export function isNumber(value: Value): boolean {
  return value.type === BsonType.int32 || value.type === BsonType.double || value.type === BsonType.int64;
}

/** The number as a double; an int64 beyond 2^53 is rounded. */
export function toDouble(value: Value): number {
  if (value.type === BsonType.int32) return value.buf.readInt32LE(value.at);
  if (value.type === BsonType.double) return value.buf.readDoubleLE(value.at);
  return Number(value.buf.readBigInt64LE(value.at));
}
