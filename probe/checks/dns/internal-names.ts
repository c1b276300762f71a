import { isIP } from 'node:net';
import { parse } from 'tldts';
import { classifyAddress } from '../../../shared/net-guard.ts';
import type { Outcome } from './lookup.ts';

type Kind = ReturnType<typeof classifyAddress>;

/** Reserved addresses reveal nothing about a network. */
const INTERNAL_KINDS: ReadonlySet<Kind> =
  new Set<Kind>(['private', 'loopback', 'link_local', 'metadata', 'embedded']);
/** On the public suffix list, but for home networks (RFC 8375) and Tor (RFC 7686). */
const NOT_PUBLIC = /(?:^|\.)(?:home\.arpa|onion)$/;
const REVERSE = /^(.*)\.(in-addr|ip6)\.arpa$/;
const OF_NAME =
  { allowPrivateDomains: false, extractHostname: false, validateHostname: false, detectIp: false };

/**
 * Whether a name (lower case, no trailing dot) is meaningful only within a network: it has no public suffix
 * (`printer`, `db.internal`, `x.local`), or is the reverse name of an internal address.
 */
export function isInternalName(name: string): boolean {
  const [, labels, family] = REVERSE.exec(name) ?? [];
  if (labels !== undefined) return isInternal(family === 'ip6' ? ipv6Of(labels) : ipv4Of(labels));
  return parse(name, OF_NAME).isIcann !== true || NOT_PUBLIC.test(name);
}

/**
 * Whether an outcome reveals a network that checks must not reach: an internal address that `isAllowed`
 * denies, or the existence of an internal name, to which a public alias may point.
 */
export function isInternalOutcome(outcome: Outcome, isAllowed: (address: string) => boolean): boolean {
  if (outcome.kind !== 'records' && outcome.kind !== 'error') return false;
  if (outcome.alias !== null && isInternalName(outcome.alias)) return true;
  if (outcome.kind === 'error') return false;
  // `isAllowed` is cached, so it goes first.
  return outcome.values.some((value) => isIP(value) !== 0 && !isAllowed(value) && isInternal(value));
}

function isInternal(address: string): boolean {
  return INTERNAL_KINDS.has(classifyAddress(address));
}

/** The first address of the network in these labels, such as `168.192` or `1.0.0.10`. */
function ipv4Of(labels: string): string {
  const bytes = labels.split('.').reverse().slice(0, 4).map((label) => (/^\d{1,3}$/.test(label) ? label : '0'));
  return [...bytes, '0', '0', '0'].slice(0, 4).join('.');
}

function ipv6Of(labels: string): string {
  const digits = labels.split('.').reverse().slice(0, 32).map((label) => (/^[\da-f]$/.test(label) ? label : '0'));
  return (digits.join('').padEnd(32, '0').match(/.{4}/g) as string[]).join(':');
}
