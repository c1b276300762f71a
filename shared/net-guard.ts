import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';

/**
 * Category of an address. `embedded`: an IPv6 form that carries an IPv4 address (mapped, compatible, NAT64,
 * 6to4, Teredo) and could hide any other category. `metadata`: cloud metadata services, which hand out
 * credentials.
 */
type AddressKind =
  | 'global' | 'private' | 'loopback' | 'link_local' | 'metadata' | 'reserved' | 'embedded' | 'invalid';

type Ranges = readonly { kind: AddressKind; list: BlockList }[];

/**
 * IANA special-purpose registries (RFC 6890 and its updates), preceded by the metadata services of EC2, ECS,
 * Azure, Alibaba and Oracle. The first match wins; all other addresses are global.
 */
const V4_RANGES = rangesOf([
  ['metadata', '169.254.169.254/32 169.254.170.2/32 168.63.129.16/32 100.100.100.200/32 192.0.0.192/32'],
  ['private', '10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.168.0.0/16'],
  ['loopback', '127.0.0.0/8'],
  ['link_local', '169.254.0.0/16'],
  ['reserved', '0.0.0.0/8 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24'],
  ['reserved', '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'],
]);

/** The same for IPv6, with the metadata services of EC2 and GCP. All other addresses are reserved. */
const V6_RANGES = rangesOf([
  ['metadata', 'fd00:ec2::254/128 fd20:ce::254/128'],
  ['loopback', '::1/128'],
  ['reserved', '::/128'],
  ['embedded', '::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2001::/32 2002::/16'],
  ['reserved', '2001::/23 2001:db8::/32 3fff::/20'],
  ['global', '2000::/3'],
  ['private', 'fc00::/7'],
  ['link_local', 'fe80::/10'],
]);

/** Category of an address, with or without a zone (`fe80::1%eth0`); `invalid` for other text. */
export function classifyAddress(text: string): AddressKind {
  const address = withoutZone(text);
  if (isIPv4(text)) return kindIn(V4_RANGES, new SocketAddress({ address, family: 'ipv4' })) ?? 'global';
  if (isIPv6(text)) return kindIn(V6_RANGES, new SocketAddress({ address, family: 'ipv6' })) ?? 'reserved';
  return 'invalid';
}

/** Whether a host from a setting or URL is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || classifyAddress(host.replace(/^\[|\]$/g, '')) === 'loopback';
}

interface AddressPolicy {
  /** Allows private, loopback and own addresses; never link-local, metadata or reserved ones. */
  allowPrivate: boolean;
  /** Ranges (CIDR) in which these are allowed regardless of `allowPrivate`. */
  allowedRanges?: BlockList;
  /** Ranges (CIDR) that are always denied; takes precedence. */
  deniedRanges?: BlockList;
  /** Addresses of the host's own interfaces, as `os.networkInterfaces()` writes them. */
  ownAddresses?: ReadonlySet<string>;
}

/** Why a connection to `address` is denied, worded for users; null if allowed. */
export function addressRefusal(address: string, policy: AddressPolicy): string | null {
  const kind = classifyAddress(address);
  if (kind !== 'invalid' && isWithin(policy.deniedRanges, address)) return `${address} is in a denied range`;
  const isOpen = ['private', 'loopback', 'global'].includes(kind);
  if (isOpen && (policy.allowPrivate || isWithin(policy.allowedRanges, address))) return null;
  const isOwn = policy.ownAddresses?.has(address);
  if (kind === 'global') return isOwn ? `${address} is an address of this host` : null;
  if (kind === 'invalid') return `${address} is not an IP address`;
  if (kind === 'embedded') return `${address} has an IPv4 address embedded in it`;
  return `${address} is a ${kind.replace('_', '-')} address`;
}

/** Ranges must be valid CIDR. */
export function addressRanges(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    list.addSubnet(base, Number(bits), isIPv6(base) ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** The eight groups of a valid IPv6 address, 0 to 65,535 each; ignores its zone. */
export function ipv6Groups(address: string): number[] {
  // The URL parser accepts every notation, including dotted ones, and writes hexadecimal groups.
  const { hostname } = new URL(`http://[${withoutZone(address)}]`);
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [left, right] = [groups(head), groups(tail)];
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/** The one spelling of an address; an IPv4 address within IPv6 is that. Null for other text. */
export function plainAddress(text: string): string | null {
  if (isIP(text) !== 6) return isIP(text) === 4 ? text : null;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
  return mapped ?? new URL(`http://[${withoutZone(text)}]`).hostname.slice(1, -1);
}

/** The /24 of an IPv4 address or the /48 of an IPv6 one. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  const prefix = ipv6Groups(address).slice(0, 3).map((group) => group.toString(16));
  return `${new URL(`http://[${prefix.join(':')}::]`).hostname.slice(1, -1)}/48`;
}

/** The parsed URL, or why it is rejected. */
type HttpUrl =
  | {
      ok: true;
      url: URL;
      /** Name or address to connect to, without brackets; `127.1` and `0x7f.1` are normalized. */
      host: string;
      /** A spelling of `localhost`, which is loopback without a DNS lookup (RFC 6761). */
      isLocalhost: boolean;
    }
  | { ok: false; reason: string };

export const MAX_URL_LENGTH = 2048;

/**
 * Parses an `http:` or `https:` URL by the WHATWG rules, as the client does. Rejects user names and
 * passwords, port 0 and ports of other protocols, white space, backslashes, control characters, and more than
 * 2,048 characters.
 */
export function parseHttpUrl(text: string): HttpUrl {
  const refused = (reason: string): HttpUrl => ({ ok: false, reason });
  if (text.length > MAX_URL_LENGTH) return refused(`must be at most ${MAX_URL_LENGTH} characters`);
  // WHATWG drops tabs and newlines and treats \ as /, so the requested URL would differ from the checked one.
  // eslint-disable-next-line no-control-regex
  const hasUnsafeCharacter = /[\u0000-\u0020\u007f-\u009f\\]|\s/u.test(text);
  if (hasUnsafeCharacter) return refused('must not contain white space, backslashes or control characters');
  if (!/^https?:\/\//i.test(text)) return refused('must start with http:// or https://');
  const url = parsedUrl(text);
  if (url === null) return refused('is not a valid address');
  const hasCredentials = url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text);
  if (hasCredentials) return refused('must not contain a username or password');
  if (url.port === '0') return refused('must not use port 0');
  const isOfOtherProtocol = OTHER_PROTOCOL_PORTS.has(Number(url.port));
  if (isOfOtherProtocol) return refused(`must not use port ${url.port}, which belongs to another protocol`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLocalhost = /^(?:(?:.*\.)?localhost|localhost\.localdomain)\.*$/.test(host);
  return { ok: true, url, host, isLocalhost };
}

/** Ports of protocols that could misread a request as commands (WHATWG Fetch, "bad port"). */
const OTHER_PROTOCOL_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
]);

function rangesOf(table: readonly [AddressKind, ranges: string][]): Ranges {
  return table.map(([kind, ranges]) => ({ kind, list: addressRanges(ranges.split(' ')) }));
}

/** False for text that is not an address. */
export function isWithin(ranges: BlockList | undefined, address: string): boolean {
  return isIP(address) !== 0 && (ranges?.check(withoutZone(address), isIPv6(address) ? 'ipv6' : 'ipv4') ?? false);
}

function kindIn(ranges: Ranges, address: SocketAddress): AddressKind | undefined {
  return ranges.find(({ list }) => list.check(address))?.kind;
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

/**
 * The URL in a text, resolved against `base`; null if invalid. Replaces URL.canParse: after optimization,
 * Node reads characters 128 to 255 as UTF-8 there, and `new URL` still throws.
 */
export function parsedUrl(text: string, base?: URL | string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> =
  { 'nats:': 4222, 'tls:': 4222, 'ws:': 80, 'http:': 80, 'wss:': 443, 'https:': 443 };

/** `host` is without brackets; `port` is 0 if the URL names none and its protocol has none. */
export interface Endpoint {
  host: string;
  port: number;
}

export function endpointOf({ protocol, hostname, port }: URL): Endpoint {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0) };
}
