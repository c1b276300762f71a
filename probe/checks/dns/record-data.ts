import { caaText, canonicalIpv6, type DnsRecordType } from '../../../shared/dns-values.ts';
import type { MessageReader } from './message-reader.ts';

/** Type numbers (IANA, DNS parameters). */
export const TYPE_NUMBERS: Readonly<Record<DnsRecordType, number>> = Object.freeze({
  A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, CAA: 257,
});

type DataReader = (reader: MessageReader, size: number) => string;

const name: DataReader = (reader) => reader.name();

const READERS: Readonly<Record<DnsRecordType, DataReader>> = {
  A: (reader) => `${reader.u8()}.${reader.u8()}.${reader.u8()}.${reader.u8()}`,
  AAAA: (reader) => {
    const hex = reader.take(16).toString('hex');
    return reader.isBroken ? '' : canonicalIpv6(hex.match(/.{4}/g)?.join(':') ?? '::');
  },
  CNAME: name,
  NS: name,
  PTR: name,
  MX: (reader) => `${reader.u16()} ${reader.name()}`,
  SRV: (reader) => `${reader.u16()} ${reader.u16()} ${reader.u16()} ${reader.name()}`,
  SOA: (reader) => {
    const names = `${reader.name()} ${reader.name()}`;
    return `${names} ${reader.u32()} ${reader.u32()} ${reader.u32()} ${reader.u32()} ${reader.u32()}`;
  },
  CAA: (reader, size) => {
    const [flags, tagSize] = [reader.u8(), reader.u8()];
    return caaText(flags, reader.take(tagSize).toString('latin1'), reader.take(size - 2 - tagSize).toString());
  },
  TXT: (reader, size) => {
    const end = reader.at + size;
    const strings: Buffer[] = [];
    while (reader.at < end && !reader.isBroken) strings.push(reader.take(reader.u8()));
    return Buffer.concat(strings).toString();
  },
};

/**
 * Decodes record data from the next `size` bytes into the form of `canonicalDnsValue`. Breaks the reader if
 * the data aren't exactly a value of that type.
 */
export function recordText(type: DnsRecordType, reader: MessageReader, size: number): string {
  const end = reader.at + size;
  const text = READERS[type](reader, size);
  if (reader.at !== end) reader.isBroken = true;
  return text;
}
