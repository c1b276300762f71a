import { BsonType, documentValue, elementsOf, Fields, fieldOf, stringOf, toByteString, type Value } from '../bson/value.ts';
import { BsonWriter } from '../bson/write.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { parsePath } from '../query/path.ts';

/** Parses an `$unwind` stage: a field path, or a document that holds nothing but `path`. */
export function parseUnwind(spec: Value): (doc: Buffer) => Iterable<Buffer> {
  const value = spec.type === BsonType.object ? fieldOf(spec, 'path') : spec;
  if (spec.type === BsonType.object) {
    const fields = new Fields(spec);
    while (fields.advance()) if (!fields.isNamed('path')) throw badValue(`$unwind: the option ${fields.name} is not served`);
  }
  if (value?.type !== BsonType.string) throw new MongoFailure(28808, 'expected a string as the path for $unwind stage');
  const text = stringOf(value);
  if (!text.startsWith('$') || text.startsWith('$$')) throw new MongoFailure(28818, `path option to $unwind stage should be prefixed with a '$': ${text}`);
  const path = parsePath(toByteString(text.slice(1)));
  return (doc) => unwind(doc, path);
}

/** One document per element; a value that is no array stands for itself; null, missing and empty yield none. */
function* unwind(doc: Buffer, path: readonly string[]): Iterable<Buffer> {
  const value = memberAt(documentValue(doc), path);
  if (value === undefined || value.type === BsonType.null) return;
  if (value.type !== BsonType.array) yield doc;
  else for (const element of elementsOf(value)) yield replaced(doc, path, element);
}

function memberAt(doc: Value, path: readonly string[]): Value | undefined {
  let current: Value | undefined = doc;
  for (const part of path) {
    if (current.type === BsonType.array) throw new MongoFailure(ErrorCode.badValue, '$unwind through an array is not served');
    current = current.type === BsonType.object ? fieldOf(current, part) : undefined;
    if (current === undefined) return undefined;
  }
  return current;
}

function replaced(doc: Buffer, path: readonly string[], element: Value): Buffer {
  const writer = new BsonWriter(doc.length);
  replaceIn(documentValue(doc), path, 0, element, writer);
  return writer.finish();
}

function replaceIn(doc: Value, path: readonly string[], at: number, element: Value, writer: BsonWriter): void {
  const start = writer.begin();
  const fields = new Fields(doc);
  while (fields.advance()) {
    if (!fields.isNamed(path[at] as string)) writer.copy(fields);
    else if (at + 1 === path.length) writer.element(fields.name, element);
    else {
      writer.head(fields.type, fields.name);
      replaceIn(fields.value(), path, at + 1, element, writer);
    }
  }
  writer.end(start);
}
