import { MessageReader } from './message-reader.ts';
import { HEADER_BYTES, type Question } from './question.ts';
import { recordText, TYPE_NUMBERS } from './record-data.ts';

/** Maximum records read from a response; real sets have fewer. */
const MAX_RECORDS = 1000;
const CLASS_IN = 1;
const [IS_RESPONSE, OPCODE, IS_AUTHORITATIVE, IS_TRUNCATED] = [0x8000, 0x7800, 0x0400, 0x0200] as const;

export const RCODES = Object.freeze({ FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 });

/** Target of a CNAME chain; null if the name isn't an alias. */
type Alias = string | null;

/** What a message says about a question. */
export type DnsResponse =
  /** Not a response to this question. */
  | { kind: 'unrelated' }
  /** A response to the question, but unusable; `problem` says why. */
  | { kind: 'malformed'; problem: string }
  /** The full response is available over TCP. */
  | { kind: 'truncated' }
  | { kind: 'error'; rcode: number; alias: Alias }
  | {
    kind: 'records';
    /** Normalized by `canonicalDnsValue`; empty if the name has no records of the type. */
    values: string[];
    alias: Alias;
    /** The server isn't authoritative and refers to other servers. */
    isReferral: boolean;
  };

const UNRELATED: DnsResponse = Object.freeze({ kind: 'unrelated' });
const TRUNCATED: DnsResponse = Object.freeze({ kind: 'truncated' });

/** Parses `bytes`, a whole DNS message, as the response to `question` with that id. Never throws. */
export function readResponse(bytes: Buffer, question: Question, id: number): DnsResponse {
  const reader = new MessageReader(bytes);
  const [ownId, flags, questions] = [reader.u16(), reader.u16(), reader.u16()];
  const [recordCount, authorityCount] = [reader.u16(), reader.u16()];
  const isOurs = ownId === id && (flags & (IS_RESPONSE | OPCODE)) === IS_RESPONSE;
  if (bytes.length < HEADER_BYTES || !isOurs) return UNRELATED;
  const rcode = flags & 0xf;
  // A server that can't parse the question can't echo it.
  const mayLackQuestion = rcode === RCODES.FORMERR && questions === 0;
  if (!mayLackQuestion && (questions !== 1 || !repeats(bytes, question.section))) return UNRELATED;
  if (rcode !== 0) return { kind: 'error', rcode, alias: errorAlias(reader, question, recordCount) };
  if (flags & IS_TRUNCATED) return TRUNCATED;
  if (recordCount > MAX_RECORDS) return malformed(`it has more than ${MAX_RECORDS} records`);
  const records = readRecords(reader, question, recordCount);
  const isReferral = recordCount === 0 && authorityCount > 0 && (flags & IS_AUTHORITATIVE) === 0
    && nextRecord(reader, question).type === TYPE_NUMBERS.NS;
  if (reader.isBroken) return malformed('it ends within a record');
  return responseOf(reader, question, records, isReferral);
}

function readRecords(reader: MessageReader, question: Question, count: number): RawRecord[] {
  reader.at = HEADER_BYTES + question.section.length;
  const records: RawRecord[] = [];
  for (let left = count; left > 0; left -= 1) records.push(nextRecord(reader, question));
  return records;
}

/** The alias whose lookup failed (RFC 6604, 3). A damaged message is an error, too. */
function errorAlias(reader: MessageReader, question: Question, recordCount: number): Alias {
  const records = readRecords(reader, question, Math.min(recordCount, MAX_RECORDS));
  const owner = reader.isBroken ? null : aliasOf(reader.bytes, question.name, records);
  return typeof owner !== 'string' || owner === question.name ? null : owner;
}

function malformed(problem: string): DnsResponse {
  return { kind: 'malformed', problem };
}

/** Whether the message echoes the question, ignoring letter case; no other byte of it is above 64. */
function repeats(bytes: Buffer, section: Buffer): boolean {
  const end = HEADER_BYTES + section.length;
  if (bytes.length < end) return false;
  if (bytes.compare(section, 0, section.length, HEADER_BYTES, end) === 0) return true;
  const repeated = bytes.toString('latin1', HEADER_BYTES, end);
  return repeated.toLowerCase() === section.toString('latin1');
}

interface RawRecord {
  owner: string;
  /** 0 for classes other than IN. */
  type: number;
  /** Offset of its data. */
  at: number;
  size: number;
}

function nextRecord(reader: MessageReader, question: Question): RawRecord {
  const owner = ownerName(reader, question);
  const [type, recordClass] = [reader.u16(), reader.u16()];
  reader.skip(4);
  const size = reader.u16();
  const at = reader.at;
  reader.skip(size);
  return { owner, type: recordClass === CLASS_IN ? type : 0, at, size };
}

/** Fast path: most records refer to the question's name by a pointer. */
function ownerName(reader: MessageReader, question: Question): string {
  const { bytes, at } = reader;
  if (bytes[at] !== 0xc0 || bytes[at + 1] !== HEADER_BYTES) return reader.name();
  reader.skip(2);
  return question.name;
}

function responseOf(
  { bytes }: MessageReader, question: Question, records: readonly RawRecord[], isReferral: boolean,
): DnsResponse {
  const owner = question.type === 'CNAME' ? question.name : aliasOf(bytes, question.name, records);
  if (typeof owner !== 'string') return owner;
  const values: string[] = [];
  for (const record of records) {
    if (record.type !== TYPE_NUMBERS[question.type] || record.owner !== owner) continue;
    const data = new MessageReader(bytes, record.at);
    values.push(recordText(question.type, data, record.size));
    if (data.isBroken) return malformed(`a record of type ${question.type} is damaged`);
  }
  return { kind: 'records', values, alias: owner === question.name ? null : owner, isReferral };
}

/** Follows CNAME records from `name`; returns `name` if there are none. */
function aliasOf(bytes: Buffer, name: string, records: readonly RawRecord[]): string | DnsResponse {
  const links = records.filter(({ type }) => type === TYPE_NUMBERS.CNAME);
  if (links.length === 0) return name;
  const aliases = new Map(links.map((record) => [record.owner, record]));
  const seen = new Set([name]);
  let owner = name;
  for (let record = aliases.get(owner); record; record = aliases.get(owner)) {
    const target = new MessageReader(bytes, record.at);
    owner = recordText('CNAME', target, record.size);
    if (target.isBroken) return malformed('a CNAME record is damaged');
    if (seen.has(owner)) return malformed('its CNAME records form a loop');
    seen.add(owner);
  }
  return owner;
}
