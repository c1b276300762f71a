import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { BsonType, payloadSize } from './value.ts';

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
  const hasLength = type >= BsonType.string && type <= BsonType.binary;
  if (hasLength && p + 5 > last) throw invalid('an element exceeds its document');
  const size = payloadSize(type, buf, p);
  if (size === null) {
    throw badValue(`the embedded store does not support values of type ${REFUSED_TYPES[type] ?? type}`);
  }
  if (hasLength && size < 5) throw invalid('an element is shorter than its type allows');
  const end = p + size;
  if (end > last) throw invalid('an element exceeds its document');
  if (type === BsonType.boolean && (buf[p] as number) > 1) throw invalid('a boolean is neither 0 nor 1');
  if (type === BsonType.string && buf[end - 1] !== 0) throw invalid('unterminated string');
  // The old binary subtype repeats its length inside.
  if (type === BsonType.binary && buf[p + 4] === 2 && (size < 9 || buf.readInt32LE(p + 5) !== size - 9)) {
    throw invalid('wrong binary length');
  }
  if (type === BsonType.object || type === BsonType.array) checkDocument(buf, p, end, depth + 1);
  return end;
}
