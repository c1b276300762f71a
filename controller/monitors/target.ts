import { isIP, isIPv4, isIPv6 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { parsedUrl } from '../../shared/net-guard.ts';
import type { MonitorDoc } from './monitor.ts';

const CREDENTIALS = 'Target must not contain a username or password';

/** Why `target` is not a valid URL for an HTTP check; null if it is. */
export function httpTargetFault(target: string): string | null {
  // The URL parser would silently drop or replace these characters.
  const isReplaced = /[\p{Cc}\\\u2028\u2029]/u.test(target);
  if (isReplaced) return 'Target must not contain control characters or backslashes';
  const url = parsedUrl(target);
  if (url === null) return 'Target must be an absolute URL';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Target must be an http or https URL';
  if (!/^https?:\/\//i.test(target)) return 'Target must be an absolute URL';
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(target)) return CREDENTIALS;
  return url.port === '0' ? 'Target must not use port 0' : null;
}

const MAX_NAME_LENGTH = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Some programs parse names that end like this as IPv4 addresses. */
const NUMERIC = /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i;

/**
 * Why `text` is neither a host name nor an IP address; null if it is one. Accepts international names,
 * underscores and a trailing dot. Rejects unusual notations of addresses.
 */
export function hostFault(text: string): string | null {
  if (isIPv4(text) || (isIPv6(text) && !text.includes('%'))) return null;
  if (text === '') return 'Target must not be empty';
  const hasInvisible = /[\p{Cc}\p{Cf}\p{Z}]/u.test(text);
  if (hasInvisible) return 'Target must not contain white space, control or invisible characters';
  if (text.includes('/')) return 'Target must be a host name or an IP address, not a URL';
  if (text.includes('@')) return CREDENTIALS;
  const neither = 'Target must be a host name or an IP address';
  if (/[\0-\x7f]/.test(text.replace(/[A-Za-z0-9._-]/g, ''))) return neither;
  const name = asciiHost(text);
  const isUnusual = isIPv4(name) || NUMERIC.test(text);
  if (isUnusual) return 'Target must be a host name, or an IP address in its usual form';
  // Node.js 24 and later return labels unchanged that cannot be decoded.
  if (/(?:^|\.)xn--/.test(domainToUnicode(name))) return neither;
  return name.length <= MAX_NAME_LENGTH && name.split('.').every((label) => LABEL.test(label)) ? null : neither;
}

/** Converts a host that `hostFault` accepts to lower-case ASCII without trailing dot. */
export function asciiHost(host: string): string {
  return isIP(host) === 0 ? domainToASCII(host).replace(/\.$/, '') : host;
}

export interface HostPort {
  host: string;
  /** Null if the text contains none. */
  port: number | null;
}

/**
 * Parses `host`, `host:port`, `[address]:port` or an address. Returns a string with the reason if it fails.
 */
export function splitHostPort(text: string): HostPort | string {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(text);
  const named = bracketed ?? (isIPv6(text) ? null : /^([^:]*):(\d+)$/.exec(text));
  const host = named?.[1] ?? text;
  const port = named?.[2] === undefined ? null : Number(named[2]);
  if (bracketed !== null && !isIPv6(host)) return 'Only IPv6 addresses can be in brackets';
  const fault = hostFault(host);
  if (fault !== null) return fault;
  return port !== null && (port < 1 || port > 65_535) ? 'Port must be from 1 to 65535' : { host, port };
}

export function joinHostPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The name for PTR lookups of an address (RFC 1035, 3.5; RFC 3596, 2.5). */
export function reverseName(address: string): string {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  const digits = groups.map((group) => group.padStart(4, '0')).join('');
  return `${digits.split('').reverse().join('.')}.ip6.arpa`;
}

type DomainFields = Pick<MonitorDoc, 'type' | 'target' | 'domain_monitoring' | 'deleted_at'>;

/** The registrable domain whose expiry is monitored; null if monitoring is off or the target has none. */
export function monitoredDomain(monitor: DomainFields): string | null {
  if (monitor.deleted_at !== null || !monitor.domain_monitoring?.enabled) return null;
  const domain = registrableDomain(monitor);
  return typeof domain === 'string' ? domain : null;
}

/** Special-use names that the public suffix list contains but nobody can register. */
const UNREGISTERED = /(?:^|\.)(?:arpa|onion)$/;

/**
 * The registrable domain of the target in ASCII, such as example.co.uk for www.example.co.uk, or why it has
 * none.
 */
export function registrableDomain(
  { type, target }: Pick<MonitorDoc, 'type' | 'target'>,
): string | { reason: string } {
  if (type === 'HEARTBEAT') return { reason: 'Heartbeat monitors do not have a domain' };
  const host = hostOf(type, target);
  const isVariable = host.includes('{{') || (host === '' && target.includes('{{'));
  if (isVariable) return { reason: 'The host of the target contains a variable' };
  if (isIP(host) !== 0) return { reason: 'The target is an IP address' };
  const ofHost = { allowPrivateDomains: false, extractHostname: false };
  const { domain, publicSuffix, isIcann } = parse(host, ofHost);
  const isRegistered = domain !== null && isIcann === true && !UNREGISTERED.test(publicSuffix ?? '');
  if (isRegistered) return domain;
  return { reason: 'The target is not under a public suffix, such as .com or .co.uk' };
}

/** In lower-case ASCII, without brackets, port and trailing dot; empty if the target has none. */
export function hostOf(type: MonitorDoc['type'], target: string): string {
  if (type === 'HTTP' || type === 'KEYWORD') {
    return parsedUrl(target)?.hostname.replace(/^\[|\]$|\.$/g, '') ?? '';
  }
  const parts = splitHostPort(target);
  return typeof parts === 'string' ? '' : asciiHost(parts.host).toLowerCase();
}
