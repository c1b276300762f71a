import { checkDocument } from '../bson/check.ts';
import { BsonType, Fields, fromByteString, Value } from '../bson/value.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';

/** The protocol's opcodes (MongoDB manual, "MongoDB Wire Protocol"). */
export const OpCode = { response: 1, query: 2004, message: 2013 } as const;

/** The sender expects no response, for example when the driver ends its sessions. */
const FLAG_MORE_TO_COME = 2;
/** A server must reject any of the first 16 flag bits that it doesn't support, and may ignore the others. */
const REQUIRED_FLAGS = 0xffff;

export const HEADER_BYTES = 16;

interface RequestIds {
  readonly requestId: number;
  readonly opCode: number;
}

/** One request: the command's fields by name (byte strings), and its document sequences. */
export interface Request extends RequestIds {
  /** The name of the command: its first field. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, Value>;
  readonly sequences: ReadonlyMap<string, readonly Value[]>;
  readonly wantsResponse: boolean;
}

function protocolError(reason: string): MongoFailure {
  return new MongoFailure(ErrorCode.protocol, reason);
}

/** Parses one complete message. Throws MongoFailure for malformed ones. */
export function parseMessage(buf: Buffer): Request {
  const opCode = buf.readInt32LE(12);
  if (opCode === OpCode.message) return parseOpMsg(buf);
  if (opCode === OpCode.query) return parseOpQuery(buf);
  throw protocolError(`opcode ${opCode} is not supported`);
}

function parseOpMsg(buf: Buffer): Request {
  if (buf.length < HEADER_BYTES + 5) throw protocolError('the message is too short');
  const flags = buf.readUInt32LE(HEADER_BYTES);
  if ((flags & REQUIRED_FLAGS & ~FLAG_MORE_TO_COME) !== 0) throw protocolError(`unknown flags ${flags}`);
  const end = buf.length;
  let body: Value | null = null;
  const sequences = new Map<string, readonly Value[]>();
  for (let p = HEADER_BYTES + 4; p < end; ) {
    const kind = buf[p++] as number;
    if (p + 4 > end) throw protocolError('a section is cut off');
    const size = buf.readInt32LE(p);
    if (size < 5 || p + size > end) throw protocolError('a section exceeds its message');
    if (kind === 0) {
      if (body !== null) throw protocolError('more than one body');
      checkDocument(buf, p, p + size);
      body = new Value(BsonType.object, buf, p, p + size);
    } else if (kind === 1) parseSequence(buf, p, p + size, sequences);
    else throw protocolError(`sections of kind ${kind} are not supported`);
    p += size;
  }
  if (body === null) throw protocolError('the message has no body');
  const wantsResponse = (flags & FLAG_MORE_TO_COME) === 0;
  return {
    requestId: buf.readInt32LE(4), opCode: OpCode.message, sequences, wantsResponse, ...commandOf(body),
  };
}

function parseSequence(
  buf: Buffer, start: number, end: number, sequences: Map<string, readonly Value[]>,
): void {
  const nameEnd = buf.indexOf(0, start + 4);
  if (nameEnd < 0 || nameEnd >= end) throw protocolError('a sequence has no name');
  const name = buf.toString('latin1', start + 4, nameEnd);
  if (sequences.has(name)) throw protocolError(`two sequences are named ${name}`);
  const docs: Value[] = [];
  for (let p = nameEnd + 1; p < end; ) {
    if (p + 5 > end) throw protocolError('a sequence is cut off');
    const size = buf.readInt32LE(p);
    if (size < 5 || p + size > end) throw protocolError('a document exceeds its sequence');
    checkDocument(buf, p, p + size);
    docs.push(new Value(BsonType.object, buf, p, p + size));
    p += size;
  }
  sequences.set(name, docs);
}

/** Parses an OP_QUERY, which drivers only use for the handshake. */
function parseOpQuery(buf: Buffer): Request {
  const nameEnd = buf.indexOf(0, HEADER_BYTES + 4);
  if (nameEnd < 0 || nameEnd + 9 + 5 > buf.length) throw protocolError('the query is cut off');
  const ns = buf.toString('latin1', HEADER_BYTES + 4, nameEnd);
  if (!ns.endsWith('.$cmd')) throw protocolError('OP_QUERY is supported for the greeting only');
  const at = nameEnd + 9;
  const size = buf.readInt32LE(at);
  if (size < 5 || at + size > buf.length) throw protocolError('the query is cut off');
  checkDocument(buf, at, at + size);
  const command = commandOf(new Value(BsonType.object, buf, at, at + size));
  const requestId = buf.readInt32LE(4);
  return { requestId, opCode: OpCode.query, sequences: new Map(), wantsResponse: true, ...command };
}

function commandOf(body: Value): { name: string; fields: Map<string, Value> } {
  const map = new Map<string, Value>();
  const fields = new Fields(body);
  let first: string | null = null;
  while (fields.advance()) {
    const name = fields.name;
    first ??= name;
    if (map.has(name)) throw protocolError(`the field '${fromByteString(name)}' occurs twice`);
    map.set(name, fields.value());
  }
  if (first === null) throw protocolError('the command is empty');
  return { name: first, fields: map };
}

/** The bytes of a response: an OP_MSG with one section, or the OP_REPLY to an OP_QUERY. */
export function frameResponse(request: RequestIds, responseId: number, body: Buffer): Buffer {
  const isQuery = request.opCode === OpCode.query;
  const head = Buffer.allocUnsafe(HEADER_BYTES + (isQuery ? 20 : 5));
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(responseId, 4);
  head.writeInt32LE(request.requestId, 8);
  head.writeInt32LE(isQuery ? OpCode.response : OpCode.message, 12);
  head.fill(0, HEADER_BYTES);
  if (isQuery) head.writeInt32LE(1, 32);
  return Buffer.concat([head, body]);
}
