import { TYPE_NUMBERS } from '../../../../../probe/checks/dns/record-data.ts';
import type { DnsRecordType } from '../../../../../shared/dns-values.ts';

/** Builds raw DNS messages for tests, valid or not, without the product's own writer. */

/** A name as length-prefixed labels; an empty text is the root. */
export function wireName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.');
  return Buffer.concat([...labels.map((label) => wireString(label)), Buffer.of(0)]);
}

export function wireString(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

export function u16(...numbers: number[]): Buffer {
  return Buffer.concat(numbers.map((number) => Buffer.of(number >> 8, number & 0xff)));
}

export function u32(...numbers: number[]): Buffer {
  return Buffer.concat(numbers.map((number) => u16(number >>> 16, number & 0xffff)));
}

/** A pointer to the question's name. */
export const TO_QUESTION = u16(0xc00c);

export interface WireRecord {
  owner?: Buffer;
  type: number;
  data: Buffer;
  /** Deliberately wrong. */
  size?: number;
}

export function wireRecord({ owner = TO_QUESTION, type, data, size = data.length }: WireRecord): Buffer {
  return Buffer.concat([owner, u16(type, 1), u32(60), u16(size), data]);
}

export interface WireMessage {
  id: number;
  /** IS_REPLY and recursion by default. */
  flags?: number;
  question: Buffer;
  records?: Buffer[];
  authorities?: Buffer[];
}

export function wireMessage(
  { id, flags = 0x8180, question, records = [], authorities = [] }: WireMessage,
): Buffer {
  const header = u16(id, flags, question.length > 0 ? 1 : 0, records.length, authorities.length, 0);
  return Buffer.concat([header, question, ...records, ...authorities]);
}

export function wireQuestion(name: string, type: DnsRecordType): Buffer {
  return Buffer.concat([wireName(name), u16(TYPE_NUMBERS[type], 1)]);
}
