import { ErrorCode, MongoFailure } from '../errors.ts';
import { BsonType } from './value.ts';

/** MongoDB's own limit on nesting (BSONDepth::kDefaultMaxAllowableDepth is 200, stored documents 180). */
const MAX_DEPTH = 180;

const TYPE_NAMES: Readonly<Record<number, string>> = {
  6: 'undefined',
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

/**
 * What a document is: plain data, a command, or a part of a command that only drivers write (`$clusterTime`), where
 * timestamps may stand that nobody looks at.
 */
type Role = 'data' | 'command' | 'envelope';

const ENVELOPES: ReadonlySet<string> = new Set(['$clusterTime', 'readConcern', 'topologyVersion']);

/** Throws InvalidBSON unless the bytes `at` to `end` are one well-formed document of served types. */
export function checkDocument(buf: Buffer, at: number, end: number, role: Role = 'data', depth = 0): void {
  if (depth > MAX_DEPTH) throw invalid('nested too deeply');
  if (end - at < 5 || buf.readInt32LE(at) !== end - at || buf[end - 1] !== 0) throw invalid('wrong document length');
  const last = end - 1;
  let p = at + 4;
  while (p < last) {
    const type = buf[p] as number;
    const nameEnd = buf.indexOf(0, p + 1);
    if (nameEnd < 0 || nameEnd >= last) throw invalid('unterminated field name');
    const inner = role !== 'command' ? role : ENVELOPES.has(buf.toString('latin1', p + 1, nameEnd)) ? 'envelope' : 'data';
    p = checkPayload(buf, type, nameEnd + 1, last, inner, depth);
  }
  if (p !== last) throw invalid('element runs past its document');
}

function checkPayload(buf: Buffer, type: number, p: number, last: number, role: Role, depth: number): number {
  const need = (bytes: number): number => {
    if (bytes < 0 || p + bytes > last) throw invalid('element runs past its document');
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
      if ((buf[p] as number) > 1) throw invalid('boolean is neither 0 nor 1');
      return end;
    }
    case BsonType.string: {
      need(5);
      const length = buf.readInt32LE(p);
      if (length < 1) throw invalid('string length');
      const end = need(4 + length);
      if (buf[end - 1] !== 0) throw invalid('unterminated string');
      return end;
    }
    case BsonType.binary: {
      need(5);
      const length = buf.readInt32LE(p);
      if (length < 0) throw invalid('binary length');
      const end = need(5 + length);
      // The old binary form has its length a second time, inside.
      if (buf[p + 4] === 2 && (length < 4 || buf.readInt32LE(p + 5) !== length - 4)) throw invalid('binary length');
      return end;
    }
    case BsonType.object:
    case BsonType.array: {
      need(5);
      const size = buf.readInt32LE(p);
      if (size < 5) throw invalid('wrong document length');
      const end = need(size);
      checkDocument(buf, p, end, role, depth + 1);
      return end;
    }
    case BsonType.regex: {
      const patternEnd = buf.indexOf(0, p);
      const optionsEnd = patternEnd < 0 ? -1 : buf.indexOf(0, patternEnd + 1);
      if (optionsEnd < 0 || optionsEnd >= last) throw invalid('unterminated regular expression');
      if (!/^[ilmsux]*$/.test(buf.toString('latin1', patternEnd + 1, optionsEnd))) throw invalid('regular expression option');
      return optionsEnd + 1;
    }
    case BsonType.timestamp:
      if (role === 'envelope') return need(8);
      break;
    default:
  }
  throw new MongoFailure(ErrorCode.badValue, `values of type ${TYPE_NAMES[type] ?? type} are not served by the embedded store`);
}
