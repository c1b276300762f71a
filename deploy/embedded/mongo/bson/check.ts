import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { BsonType } from './value.ts';

/** MongoDB's limit for stored documents (BSONDepth::getMaxDepthForUserStorage). */
const MAX_DEPTH = 180;

const REFUSED_TYPES: Readonly<Record<number, string>> = {
  6: 'undefined',
  11: 'regular expression',
  12: 'dbPointer',
  13: 'javascript',
  14: 'symbol',
  15: 'javascriptWithScope',
  17: 'timestamp',
  19: 'decimal',
  127: 'maxKey',
  255: 'minKey',
};

function invalid(reason: string): MongoFailure {
  return new MongoFailure(ErrorCode.invalidBson, `invalid BSON: ${reason}`);
}

/** Throws unless the bytes from `at` to `end` are one well-formed document of supported types. */
export function checkDocument(buf: Buffer, at: number, end: number, depth = 0): void {
  if (depth > MAX_DEPTH) throw invalid('nested too deeply');
  if (end - at < 5 || buf.readInt32LE(at) !== end - at || buf[end - 1] !== 0) {
    throw invalid('wrong document length');
  }
  const last = end - 1;
  let p = at + 4;
  while (p < last) {
    const type = buf[p] as number;
    const nameEnd = buf.indexOf(0, p + 1);
    if (nameEnd < 0 || nameEnd >= last) throw invalid('unterminated field name');
    p = checkPayload(buf, type, nameEnd + 1, last, depth);
  }
  if (p !== last) throw invalid('an element exceeds its document');
}

/** Returns the end of the payload that starts at `p`; `last` is the end of the document around it. */
function checkPayload(buf: Buffer, type: number, p: number, last: number, depth: number): number {
  const need = (bytes: number): number => {
    if (bytes < 0 || p + bytes > last) throw invalid('an element exceeds its document');
    return p + bytes;
  };
  switch (type) {
    case BsonType.null:
      return p;
    case BsonType.int32:
      return need(4);
    case BsonType.double:
    case BsonType.date:
    case BsonType.int64:
      return need(8);
    case BsonType.objectId:
      return need(12);
    case BsonType.boolean: {
      const end = need(1);
      if ((buf[p] as number) > 1) throw invalid('a boolean is neither 0 nor 1');
      return end;
    }
    case BsonType.string: {
      need(5);
      const length = buf.readInt32LE(p);
      if (length < 1) throw invalid('wrong string length');
      const end = need(4 + length);
      if (buf[end - 1] !== 0) throw invalid('unterminated string');
      return end;
    }
    case BsonType.binary: {
      need(5);
      const length = buf.readInt32LE(p);
      if (length < 0) throw invalid('wrong binary length');
      const end = need(5 + length);
      // The old binary subtype repeats its length inside.
      if (buf[p + 4] === 2 && (length < 4 || buf.readInt32LE(p + 5) !== length - 4)) {
        throw invalid('wrong binary length');
      }
      return end;
    }
    case BsonType.object:
    case BsonType.array: {
      need(5);
      const size = buf.readInt32LE(p);
      if (size < 5) throw invalid('wrong document length');
      const end = need(size);
      checkDocument(buf, p, end, depth + 1);
      return end;
    }
    default:
      throw badValue(`the embedded store does not support values of type ${REFUSED_TYPES[type] ?? type}`);
  }
}
