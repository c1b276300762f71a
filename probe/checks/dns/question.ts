import type { DnsRecordType } from '../../../shared/dns-values.ts';
import { TYPE_NUMBERS } from './record-data.ts';

export const HEADER_BYTES = 12;
const MAX_NAME_BYTES = 255;
const CLASS_IN = 1;
const RECURSION_DESIRED = 0x0100;
/** Fits into one packet on nearly every path (dnsflagday.net/2020). */
const UDP_BYTES = 1232;
/** An OPT record (RFC 6891, 6.1.2): root, type 41, our maximum UDP size, no flags, no options. */
const OPT = Buffer.from([0, 0, 41, UDP_BYTES >> 8, UDP_BYTES & 0xff, 0, 0, 0, 0, 0, 0]);

export interface Question {
  /** Lower case, without a trailing dot. */
  name: string;
  type: DnsRecordType;
  /** Encoded for the question section of a message. */
  section: Buffer;
}

/** Null if `name` is invalid in the DNS. */
export function questionFor(name: string, type: DnsRecordType): Question | null {
  const lower = name.toLowerCase();
  const labels = lower.split('.');
  if (!labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) return null;
  const section = Buffer.alloc(lower.length + 6);
  if (lower.length + 2 > MAX_NAME_BYTES) return null;
  let at = 0;
  for (const label of labels) {
    section[at] = label.length;
    section.write(label, at + 1, 'latin1');
    at += label.length + 1;
  }
  section.writeUInt16BE(TYPE_NUMBERS[type], at + 1);
  section.writeUInt16BE(CLASS_IN, at + 3);
  return { name: lower, type, section };
}

/** The query message for `question`; old servers reject one `withEdns`. */
export function queryMessage(question: Question, id: number, withEdns: boolean): Buffer {
  const { section } = question;
  const end = HEADER_BYTES + section.length;
  const message = Buffer.allocUnsafe(end + (withEdns ? OPT.length : 0));
  message.fill(0, 0, HEADER_BYTES);
  message.writeUInt16BE(id, 0);
  message.writeUInt16BE(RECURSION_DESIRED, 2);
  message.writeUInt16BE(1, 4);
  section.copy(message, HEADER_BYTES);
  if (withEdns) {
    message.writeUInt16BE(1, 10);
    OPT.copy(message, end);
  }
  return message;
}
