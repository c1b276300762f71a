import { isIP } from 'node:net';
import { parse } from 'tldts';
import { classifyAddress } from '../../../shared/net-guard.ts';
import type { Outcome } from './lookup.ts';

type Kind = ReturnType<typeof classifyAddress>;

/** Reserved addresses say nothing about anybody's network. */
const INTERNAL_KINDS: ReadonlySet<Kind> =
  new Set<Kind>(['private', 'loopback', 'link_local', 'metadata', 'embedded']);
/** In the public suffix list, but of home networks (RFC 8375) and of Tor (RFC 7686). */
const NOT_PUBLIC = /(?:^|\.)(?:home\.arpa|onion)$/;
const REVERSE = /^(.*)\.(in-addr|ip6)\.arpa$/;
const OF_NAME =
  { allowPrivateDomains: false, extractHostname: false, validateHostname: false, detectIp: false };

/**
 * Whether a name, in lower case and without a dot at its end, has a meaning only within a network: it has no
 * public suffix (`printer`, `db.internal`, `x.local`), or is the reverse name of internal addresses.
 */
export function isInternalName(name: string): boolean {
  const [, labels, family] = REVERSE.exec(name) ?? [];
  if (labels !== undefined) return isInternal(family === 'ip6' ? ipv6Of(labels) : ipv4Of(labels));
  return parse(name, OF_NAME).isIcann !== true || NOT_PUBLIC.test(name);
}

/**
 * Whether an outcome reveals a network that checks must not reach: an internal address that `isAllowed` does
 * not admit, or whether there is an internal name, to which an alias of a public one may lead.
 */
export function isInternalOutcome(outcome: Outcome, isAllowed: (address: string) => boolean): boolean {
  if (outcome.kind !== 'records' && outcome.kind !== 'error') return false;
  if (outcome.alias !== null && isInternalName(outcome.alias)) return true;
  if (outcome.kind === 'error') return false;
  // What is allowed is remembered, so that is asked first.
  return outcome.values.some((value) => isIP(value) !== 0 && !isAllowed(value) && isInternal(value));
}

function isInternal(address: string): boolean {
  return INTERNAL_KINDS.has(classifyAddress(address));
}

/** The first address of the network that these labels name, `168.192` or `1.0.0.10`. */
function ipv4Of(labels: string): string {
  const bytes = labels.split('.').reverse().slice(0, 4).map((label) => (/^\d{1,3}$/.test(label) ? label : '0'));
  return [...bytes, '0', '0', '0'].slice(0, 4).join('.');
}

function ipv6Of(labels: string): string {
  const digits = labels.split('.').reverse().slice(0, 32).map((label) => (/^[\da-f]$/.test(label) ? label : '0'));
  return (digits.join('').padEnd(32, '0').match(/.{4}/g) as string[]).join(':');
}
