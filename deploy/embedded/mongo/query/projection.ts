import {
  BsonType, documentValue, Fields, fromByteString, isNumber, isTruthy, type Value,
} from '../bson/value.ts';
import { BsonWriter } from '../bson/write.ts';
import { badValue } from '../errors.ts';
import { parsePath } from './path.ts';

export type Projection = (doc: Buffer) => Buffer;

/** Parses a projection that includes or excludes top-level fields. Throws BadValue for anything else. */
export function parseProjection(doc: Value): Projection {
  const names = new Set<string>();
  let isInclusion: boolean | null = null;
  const fields = new Fields(doc);
  while (fields.advance()) {
    const { name } = fields;
    const value = fields.value();
    const isFlag = isNumber(value) || value.type === BsonType.boolean;
    if (!isFlag || parsePath(name).length > 1) {
      throw badValue(`projection of '${fromByteString(name)}': only flags on whole fields are supported`);
    }
    isInclusion ??= isTruthy(value);
    if (isInclusion !== isTruthy(value)) throw badValue('a projection includes or excludes, not both');
    names.add(name);
  }
  if (isInclusion === null) return (source) => source;
  const isIncluded = isInclusion;
  if (isIncluded) names.add('_id');
  return (source) => project(source, names, isIncluded);
}

/** Keeps only the named fields, or all others. */
function project(source: Buffer, names: ReadonlySet<string>, isIncluded: boolean): Buffer {
  const writer = new BsonWriter(source.length);
  const start = writer.begin();
  const fields = new Fields(documentValue(source));
  while (fields.advance()) if (names.has(fields.name) === isIncluded) writer.copy(fields);
  writer.end(start);
  return writer.finish();
}
