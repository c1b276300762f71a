import { BsonType, elementsOf, fieldOf, fromByteString, stringOf, toDouble, type Value } from '../bson/value.ts';
import type { Writable } from '../bson/write.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import type { KeyField } from './index-keys.ts';
import { KeyWriter } from './key-writer.ts';

interface NamedKey {
  readonly name: string;
  readonly fields: readonly KeyField[];
}

/** The E11000 failure with `keyPattern` and `keyValue`; `key` is the encoded key that is taken. */
export function duplicateKey(ns: string, index: NamedKey, doc: Value, key: Buffer): MongoFailure {
  const pattern: Record<string, Writable> = {};
  const values: Record<string, Writable> = {};
  const texts: string[] = [];
  const writer = new KeyWriter();
  let at = 0;
  for (const field of index.fields) {
    const value = valueBehind(doc, field, key, at, writer);
    at += writer.reset().component(value, field.descending).take().length;
    pattern[field.name] = field.descending ? -1 : 1;
    values[field.name] = value ?? null;
    texts.push(`${fromByteString(field.name)}: ${valueText(value)}`);
  }
  const message = `E11000 duplicate key error collection: ${ns} index: ${index.name} dup key: { ${texts.join(', ')} }`;
  return new MongoFailure(ErrorCode.duplicateKey, message, { keyPattern: pattern, keyValue: values });
}

/** Of the values under a field's path the one whose encoding stands in the key at that place. */
function valueBehind(doc: Value, field: KeyField, key: Buffer, at: number, writer: KeyWriter): Value | undefined {
  return candidates(doc, field.path).find((candidate) => {
    const encoded = writer.reset().component(candidate, field.descending).take();
    return key.subarray(at, at + encoded.length).equals(encoded);
  });
}

function candidates(doc: Value, path: readonly string[]): Value[] {
  const [first, ...rest] = path;
  if (first === undefined) return doc.type === BsonType.array ? elementsOf(doc) : [doc];
  if (doc.type === BsonType.array) return elementsOf(doc).flatMap((element) => candidates(element, path));
  const next = doc.type === BsonType.object ? fieldOf(doc, first) : undefined;
  return next === undefined ? [] : candidates(next, rest);
}

/** A value as MongoDB's messages show it. */
export function valueText(value: Value | undefined): string {
  if (value === undefined) return 'null';
  switch (value.type) {
    case BsonType.string:
      return JSON.stringify(stringOf(value));
    case BsonType.objectId:
      return `ObjectId('${value.buf.toString('hex', value.at, value.end)}')`;
    case BsonType.boolean:
      return value.buf[value.at] === 1 ? 'true' : 'false';
    case BsonType.date:
      return `new Date(${value.buf.readBigInt64LE(value.at)})`;
    case BsonType.binary:
      return `BinData(${value.buf[value.at + 4]}, ${value.buf.toString('hex', value.at + 5, value.end).toUpperCase()})`;
    case BsonType.int64:
      return String(value.buf.readBigInt64LE(value.at));
    case BsonType.int32:
      return String(toDouble(value));
    case BsonType.double:
      return Number.isInteger(toDouble(value)) ? toDouble(value).toFixed(1) : String(toDouble(value));
    case BsonType.object:
    case BsonType.array:
      return value.type === BsonType.object ? '{ ... }' : '[ ... ]';
    default:
      return 'null';
  }
}
