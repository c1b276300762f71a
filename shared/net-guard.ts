import { isIPv4, isIPv6 } from 'node:net';

/**
 * What an address is good for. `embedded`: an IPv6 form that carries an IPv4 address (mapped, compatible, NAT64, 6to4,
 * Teredo), under which any IPv4 address could hide. `metadata`: where clouds hand out credentials.
 */
export type AddressKind = 'global' | 'private' | 'loopback' | 'link_local' | 'metadata' | 'reserved' | 'embedded' | 'invalid';

type Range<Address> = readonly [base: Address, prefixBits: number, kind: AddressKind];

/** Link-local ones, and those that look global or private: Azure, Alibaba, Oracle; EC2 and GCP on IPv6. */
const METADATA = ['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'];

/** IANA special-purpose registries (RFC 6890 and its updates). */
const V4_RANGES: readonly Range<number>[] = (
  [
    ['0.0.0.0', 8, 'reserved'],
    ['10.0.0.0', 8, 'private'],
    ['100.64.0.0', 10, 'private'],
    ['127.0.0.0', 8, 'loopback'],
    ['169.254.0.0', 16, 'link_local'],
    ['172.16.0.0', 12, 'private'],
    ['192.0.0.0', 24, 'reserved'],
    ['192.0.2.0', 24, 'reserved'],
    ['192.88.99.0', 24, 'reserved'],
    ['192.168.0.0', 16, 'private'],
    ['198.18.0.0', 15, 'reserved'],
    ['198.51.100.0', 24, 'reserved'],
    ['203.0.113.0', 24, 'reserved'],
    ['224.0.0.0', 4, 'reserved'],
    ['240.0.0.0', 4, 'reserved'],
  ] as const
).map(([base, bits, kind]) => [v4Number(base), bits, kind]);

/** First match decides; what none matches is `reserved`, so that only 2000::/3 can be global. */
const V6_RANGES: readonly Range<bigint>[] = (
  [
    ['::1', 128, 'loopback'],
    ['::', 128, 'reserved'],
    ['::', 96, 'embedded'],
    ['::ffff:0:0', 96, 'embedded'],
    ['::ffff:0:0:0', 96, 'embedded'],
    ['64:ff9b::', 96, 'embedded'],
    ['64:ff9b:1::', 48, 'embedded'],
    ['2001::', 32, 'embedded'],
    ['2001::', 23, 'reserved'],
    ['2001:db8::', 32, 'reserved'],
    ['2002::', 16, 'embedded'],
    ['3fff::', 20, 'reserved'],
    ['2000::', 3, 'global'],
    ['fc00::', 7, 'private'],
    ['fe80::', 10, 'link_local'],
  ] as const
).map(([base, bits, kind]) => [v6Number(base), bits, kind]);

const METADATA_V4: ReadonlySet<number> = new Set(METADATA.filter(isIPv4).map(v4Number));
const METADATA_V6: ReadonlySet<bigint> = new Set(METADATA.filter(isIPv6).map(v6Number));

/** Kind of an address in text form, with or without a zone (`fe80::1%eth0`); `invalid` for anything that is no address. */
export function classifyAddress(address: string): AddressKind {
  if (isIPv4(address)) return classifyV4(v4Number(address));
  if (isIPv6(address)) return classifyV6(v6Number(address));
  return 'invalid';
}

/** Whether the address is one that anybody on the internet could have. */
export function isGlobalUnicast(address: string): boolean {
  return classifyAddress(address) === 'global';
}

export interface AddressPolicy {
  /** Lets private and loopback addresses, and the host's own, through; never link-local, metadata or reserved ones. */
  allowPrivate: boolean;
  /** Addresses of the host's own interfaces, as `os.networkInterfaces()` writes them. */
  ownAddresses?: ReadonlySet<string>;
}

/** Why a connection to `address` is refused, in words for its user; null when it is allowed. */
export function addressRefusal(address: string, policy: AddressPolicy): string | null {
  const kind = classifyAddress(address);
  if (kind === 'private' || kind === 'loopback') return policy.allowPrivate ? null : `${address} is a ${kind} address`;
  if (kind === 'global') return !policy.allowPrivate && policy.ownAddresses?.has(address) ? `${address} is an address of this host` : null;
  if (kind === 'invalid') return `${address} is not an IP address`;
  return kind === 'embedded' ? `${address} has an IPv4 address embedded in it` : `${address} is a ${kind.replace('_', '-')} address`;
}

/** The outcome of reading an address of the web: the parsed URL, or why it is not acceptable. */
export type HttpUrl =
  | {
      ok: true;
      url: URL;
      /** Name or address to connect to, without brackets. */
      host: string;
      /** The host when it is an address (WHATWG has then turned `127.1`, `0x7f.1` and the like into the plain form), else null. */
      address: string | null;
      /** `localhost` in one of its spellings: loopback without asking any resolver (RFC 6761). */
      isLocalhost: boolean;
    }
  | { ok: false; reason: string };

export const LONGEST_URL = 2048;

/**
 * Reads an `http:` or `https:` address by the WHATWG rules, the same that the client uses: no user name or password
 * in it, no port 0, no white space, backslash or control character, at most 2,048 characters.
 */
export function parseHttpUrl(text: string): HttpUrl {
  if (text.length > LONGEST_URL) return { ok: false, reason: `must have at most ${LONGEST_URL} characters` };
  // WHATWG drops tabs and line ends and reads \ as /: what was looked at would not be what is called.
  if (hasUnsafeCharacter(text)) return { ok: false, reason: 'must not contain white space, backslashes or control characters' };
  if (!/^https?:\/\//i.test(text)) return { ok: false, reason: 'must start with http:// or https://' };
  if (!URL.canParse(text)) return { ok: false, reason: 'is not a valid address' };
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text)) {
    return { ok: false, reason: 'must not contain a user name or password' };
  }
  if (url.port === '0') return { ok: false, reason: 'must not name port 0' };
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const address = isIPv4(host) || isIPv6(host) ? host : null;
  return { ok: true, url, host, address, isLocalhost: isLocalhost(host) };
}

/** Ports whose servers would read a request as commands of another protocol (WHATWG Fetch, "bad port"). */
const OTHER_PROTOCOL_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119,
  123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
  993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
]);

/** Whether a port belongs to another protocol than HTTP, so that nothing of ours posts to it. */
export function isOtherProtocolPort(port: number): boolean {
  return OTHER_PROTOCOL_PORTS.has(port);
}

function hasUnsafeCharacter(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /[\u0000-\u0020\u007f-\u009f\\]|\s/u.test(text);
}

function isLocalhost(host: string): boolean {
  const name = host.replace(/\.+$/, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || name === 'localhost.localdomain';
}

function classifyV4(address: number): AddressKind {
  if (METADATA_V4.has(address)) return 'metadata';
  for (const [base, bits, kind] of V4_RANGES) if ((address ^ base) >>> (32 - bits) === 0) return kind;
  return 'global';
}

function classifyV6(address: bigint): AddressKind {
  if (METADATA_V6.has(address)) return 'metadata';
  for (const [base, bits, kind] of V6_RANGES) if ((address ^ base) >> BigInt(128 - bits) === 0n) return kind;
  return 'reserved';
}

function v4Number(address: string): number {
  return address.split('.').reduce((sum, part) => ((sum << 8) | Number(part)) >>> 0, 0);
}

/** Takes a valid address only. */
function v6Number(address: string): bigint {
  const bare = (address.split('%')[0] as string).replace(/[^:]+\.[^:]+$/, (tail) => {
    const v4 = v4Number(tail);
    return `${(v4 >>> 16).toString(16)}:${(v4 & 0xffff).toString(16)}`;
  });
  const [head = '', tail] = bare.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}
