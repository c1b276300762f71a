import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import type { DNS_RECORD_TYPES } from './contracts/check-spec.ts';

export type DnsRecordType = (typeof DNS_RECORD_TYPES)[number];

/**
 * Normalizes an expected value so that equal values are equal strings; null if invalid for the type. Names
 * are lower case without a trailing dot, IPv6 as in RFC 5952, fields separated by one space. Optional: the
 * preference of MX, all but the primary name server of SOA, quotes of CAA and TXT (whose strings are joined).
 */
export function canonicalDnsValue(type: DnsRecordType, text: string): string | null {
  const value = text.trim();
  switch (type) {
    case 'A': return isIPv4(value) ? value : null;
    case 'AAAA': return isIPv6(value) && !value.includes('%') ? canonicalIpv6(value) : null;
    case 'CNAME':
    case 'NS':
    case 'PTR': return canonicalName(value);
    case 'MX': return fields(value, [U16, NAME]) ?? canonicalName(value);
    case 'SRV': return fields(value, [U16, U16, U16, NAME]);
    case 'SOA': return fields(value, [NAME, NAME, U32, U32, U32, U32, U32]) ?? canonicalName(value);
    case 'CAA': return canonicalCaa(value);
    case 'TXT': return value.startsWith('"') ? unquoted(value) : value;
  }
}

/** Whether an expected value, as returned by `canonicalDnsValue`, matches a record's value. */
export function isDnsValue(type: DnsRecordType, expected: string, actual: string): boolean {
  if (expected === actual) return true;
  if (type === 'MX') return expected === actual.slice(actual.indexOf(' ') + 1);
  return type === 'SOA' && expected === actual.slice(0, actual.indexOf(' '));
}

/** An IPv6 address without a zone in RFC 5952 form, in hexadecimal only. */
export function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

type Field = (text: string) => string | null;
const NAME: Field = (text) => canonicalName(text);
const U16: Field = (text) => numeral(text, 0xffff);
const U32: Field = (text) => numeral(text, 0xffff_ffff);

function fields(value: string, kinds: readonly Field[]): string | null {
  const parts = value.split(/\s+/);
  if (parts.length !== kinds.length) return null;
  const canonical = parts.map((part, at) => (kinds[at] as Field)(part));
  return canonical.includes(null) ? null : canonical.join(' ');
}

function numeral(text: string, max: number): string | null {
  return /^\d{1,10}$/.test(text) && Number(text) <= max ? String(Number(text)) : null;
}

function canonicalName(text: string): string | null {
  if (text === '' || /[\s"\p{Cc}]/u.test(text)) return null;
  const ascii = /^[\x21-\x7e]+$/.test(text) ? text.toLowerCase() : domainToASCII(text);
  if (ascii === '' || ascii === '.') return ascii || null;
  const name = ascii.endsWith('.') && !ascii.endsWith('\\.') ? ascii.slice(0, -1) : ascii;
  return name.split('.').includes('') ? null : name;
}

function canonicalCaa(value: string): string | null {
  const parts = /^(\d{1,3})\s+([a-z0-9]{1,255})\s+(\S.*)$/i.exec(value);
  if (!parts || Number(parts[1]) > 255) return null;
  const [, flags = '', tag = '', rest = ''] = parts;
  const text = rest.startsWith('"') ? unquoted(rest) : rest;
  return text === null ? null : caaText(Number(flags), tag, text);
}

export function caaText(flags: number, tag: string, value: string): string {
  return `${flags} ${tag.toLowerCase()} "${value}"`;
}

/** The joined text of quoted strings with escapes (RFC 1035, 5.1); null for anything else. */
function unquoted(value: string): string | null {
  if (!/^(?:"(?:[^"\\]|\\.)*"\s*)+$/su.test(value)) return null;
  const strings = value.match(/"(?:[^"\\]|\\.)*"/gsu) ?? [];
  const escaped = strings.map((string) => string.slice(1, -1)).join('');
  return escaped.replaceAll(/\\(\d{3}|.)/gsu, (_, what: string) =>
    (what.length === 3 ? String.fromCharCode(Number(what) & 0xff) : what));
}
