import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { ipv6Groups } from '../../shared/net-guard.ts';

/** Why `target` cannot be the address of an HTTP check; null when it can. */
export function httpTargetFault(target: string): string | null {
  // Characters that the URL parser would silently drop or turn into others.
  if (/[\p{Cc}\\\u2028\u2029]/u.test(target)) return 'Target must not contain control characters or backslashes';
  if (!URL.canParse(target)) return 'Target must be an absolute URL';
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Target must be an http or https URL';
  if (!/^https?:\/\//i.test(target)) return 'Target must be an absolute URL';
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(target)) return 'Target must not contain a user name or password';
  return url.port === '0' ? 'Target must not name port 0' : null;
}

const LONGEST_NAME = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Why `text` is neither the name of a host nor an address; null when it is. Names may be international, may
 * have labels with underscores, and may end with a dot. Numbers that only some programs read as an address
 * are none.
 */
export function hostFault(text: string): string | null {
  if (isIPv4(text) || (isIPv6(text) && !text.includes('%'))) return null;
  if (text === '') return 'Target must not be empty';
  if (/[\p{Cc}\p{Cf}\p{Z}]/u.test(text)) return 'Target must not contain white space, control or invisible characters';
  if (text.includes('/')) return 'Target must be a host name or an IP address, not a URL';
  if (text.includes('@')) return 'Target must not contain a user name or password';
  if (/[\0-\x7f]/.test(text.replace(/[A-Za-z0-9._-]/g, ''))) return 'Target must be a host name or an IP address';
  const name = domainToASCII(text).replace(/\.$/, '');
  if (isIPv4(name) || /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(text)) return 'Target must be a host name, or an IP address in its usual form';
  const isName = name !== '' && name.length <= LONGEST_NAME && name.split('.').every((label) => LABEL.test(label));
  return isName ? null : 'Target must be a host name or an IP address';
}

/** A host that `hostFault` accepts as it stands in the DNS: ASCII, lower case, no dot at its end. */
export function asciiHost(host: string): string {
  return isIPv4(host) || isIPv6(host) ? host : domainToASCII(host).replace(/\.$/, '');
}

export interface HostPort {
  host: string;
  /** Null when the text names none. */
  port: number | null;
}

/** The parts of `host`, `host:port`, `[address]:port` or an address; or why it is none of these. */
export function splitHostPort(text: string): HostPort | string {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(text);
  const named = bracketed ?? (isIPv6(text) ? null : /^([^:]*):(\d+)$/.exec(text));
  const host = named?.[1] ?? text;
  const port = named?.[2] === undefined ? null : Number(named[2]);
  if (bracketed !== null && !isIPv6(host)) return 'Only an IPv6 address stands in brackets';
  const fault = hostFault(host);
  if (fault !== null) return fault;
  return port !== null && (port < 1 || port > 65_535) ? 'Port must be from 1 to 65535' : { host, port };
}

export function joinHostPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The name under which the DNS tells to whom an address belongs (RFC 1035, 3.5; RFC 3596, 2.5). */
export function reverseName(address: string): string {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const digits = ipv6Groups(address).map((group) => group.toString(16).padStart(4, '0')).join('');
  return `${digits.split('').reverse().join('.')}.ip6.arpa`;
}
