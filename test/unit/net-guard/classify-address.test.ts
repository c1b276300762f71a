import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressRefusal, classifyAddress, ipv6Groups } from '../../../shared/net-guard.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

describe('address classification', () => {
  test.each([
    ['8.8.8.8', 'global'],
    ['1.1.1.1', 'global'],
    ['9.255.255.255', 'global'],
    ['11.0.0.0', 'global'],
    ['100.63.255.255', 'global'],
    ['100.128.0.0', 'global'],
    ['172.15.255.255', 'global'],
    ['172.32.0.0', 'global'],
    ['198.17.255.255', 'global'],
    ['198.20.0.0', 'global'],
    ['223.255.255.255', 'global'],
    ['0.0.0.0', 'reserved'],
    ['0.1.2.3', 'reserved'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.127.255.255', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.0.1', 'link_local'],
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.8', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['192.88.99.1', 'reserved'],
    ['192.168.255.255', 'private'],
    ['198.18.0.1', 'reserved'],
    ['198.19.255.255', 'reserved'],
    ['198.51.100.7', 'reserved'],
    ['203.0.113.7', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['2606:4700:4700::1111', 'global'],
    ['2a00:1450:4001:80b::200e', 'global'],
    ['2001:4860:4860::8888', 'global'],
    ['::', 'reserved'],
    ['::1', 'loopback'],
    ['::7f00:1', 'embedded'],
    ['::8.8.8.8', 'embedded'],
    ['::ffff:127.0.0.1', 'embedded'],
    ['::ffff:8.8.8.8', 'embedded'],
    ['::ffff:7f00:1', 'embedded'],
    ['0:0:0:0:0:ffff:a9fe:a9fe', 'embedded'],
    ['64:ff9b::7f00:1', 'embedded'],
    ['64:ff9b::169.254.169.254', 'embedded'],
    ['64:ff9b:1::a00:1', 'embedded'],
    ['2002:7f00:1::', 'embedded'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'embedded'],
    ['2001:10::1', 'reserved'],
    ['2001:1ff:ffff::1', 'reserved'],
    ['2001:200::1', 'global'],
    ['2001:db8::1', 'reserved'],
    ['3fff:fff::1', 'reserved'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['fd00:ec2::254', 'metadata'],
    ['fe80::1', 'link_local'],
    ['fe80::1%eth0', 'link_local'],
    ['fec0::1', 'reserved'],
    ['ff02::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['100::1', 'reserved'],
    ['', 'invalid'],
    ['127.1', 'invalid'],
    ['0177.0.0.1', 'invalid'],
    ['2130706433', 'invalid'],
    ['localhost', 'invalid'],
    ['1.2.3.4.5', 'invalid'],
    ['::g', 'invalid'],
  ])('%s is %s', (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });

  /** Whether the first `bits` of two addresses are equal. */
  const shares = (width: number, bits: number, one: bigint, other: bigint) =>
    (one ^ other) >> BigInt(width - bits) === 0n;

  test('IPv4 is global outside the special-purpose ranges', () => {
    const special = [
      [0x00000000n, 8], [0x0a000000n, 8], [0x64400000n, 10], [0x7f000000n, 8], [0xa9fe0000n, 16],
      [0xac100000n, 12], [0xc0000000n, 24], [0xc0000200n, 24], [0xc0586300n, 24], [0xc0a80000n, 16],
      [0xc6120000n, 15], [0xc6336400n, 24], [0xcb007100n, 24], [0xe0000000n, 4], [0xf0000000n, 4],
      [0xa83f8110n, 32],
    ] as const;
    const near = fc
      .tuple(fc.constantFrom(...special), fc.integer({ min: -2, max: 2 }))
      .map(([[base], by]) => (Number(base) + by) >>> 0);
    fc.assert(
      fc.property(fc.oneof(fc.nat(0xffffffff), near), (value) => {
        const address = [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
        const isSpecial = special.some(([base, bits]) => shares(32, bits, BigInt(value), base));
        expect(classifyAddress(address) === 'global', address).toBe(!isSpecial);
      }),
      { numRuns: fewOrAll(300, 2000) },
    );
  });

  test('IPv6 is global only in 2000::/3 outside the special-purpose ranges, in any notation', () => {
    const special = [
      [0x20010000n << 96n, 23], [0x20010db8n << 96n, 32], [0x2002n << 112n, 16], [0x3fffn << 112n, 20],
    ] as const;
    const group = fc.nat(0xffff);
    const heads = [0x1fff, 0x2000, 0x2001, 0x2002, 0x2003, 0x3fff, 0x4000, 0x64, 0];
    const first = fc.oneof(group, fc.constantFrom(...heads));
    const second = fc.oneof(group, fc.constantFrom(0, 0x1ff, 0x200, 0xdb8, 0xff9b, 0xfff, 0x1000));
    const rest = fc.array(fc.oneof(group, fc.constant(0)), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.tuple(first, second, rest), ([head, next, tail]) => {
        const groups = [head, next, ...tail];
        const value = groups.reduce((sum, one) => (sum << 16n) | BigInt(one), 0n);
        const isSpecial = special.some(([base, bits]) => shares(128, bits, value, base));
        const isGlobal = shares(128, 3, value, 0x2n << 124n) && !isSpecial;
        for (const address of spellings(groups)) {
          expect(classifyAddress(address) === 'global', address).toBe(isGlobal);
          expect(ipv6Groups(address)).toEqual(groups);
        }
      }),
      { numRuns: fewOrAll(300, 2000) },
    );
  });
});

/** An IPv6 address in full, with zeros and capitals, shortened, with a dotted end, and with a zone. */
function spellings(groups: number[]): string[] {
  const hex = groups.map((group) => group.toString(16));
  const [high, low] = [groups[6] as number, groups[7] as number];
  const dotted = [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  const full = hex.join(':');
  const padded = hex.map((group) => group.padStart(4, '0').toUpperCase()).join(':');
  const short = full.replace(/(?:^|:)0(?::0)+(?::|$)/, '::');
  return [full, padded, short, `${hex.slice(0, 6).join(':')}:${dotted}`, `${full}%eth0`];
}

describe('a policy', () => {
  const strict = { allowPrivate: false, ownAddresses: new Set(['93.184.216.34']) };
  const lenient = { ...strict, allowPrivate: true };

  test("that denies private addresses allows only global ones other than the host's own", () => {
    expect(addressRefusal('8.8.8.8', strict)).toBeNull();
    expect(addressRefusal('93.184.216.34', strict)).toBe('93.184.216.34 is an address of this host');
    expect(addressRefusal('10.1.2.3', strict)).toBe('10.1.2.3 is a private address');
    expect(addressRefusal('127.0.0.1', strict)).toBe('127.0.0.1 is a loopback address');
  });

  test('that allows private addresses still denies link-local, metadata, reserved and embedded ones', () => {
    for (const address of ['10.1.2.3', '127.0.0.1', '::1', 'fd12::1', '93.184.216.34', '100.64.1.1']) {
      expect(addressRefusal(address, lenient)).toBeNull();
    }
    for (const address of [
      '169.254.1.1', '169.254.169.254', 'fe80::1', 'fd00:ec2::254', '100.100.100.200', '0.0.0.0', '::',
      '224.0.0.1', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', 'x',
    ]) expect(addressRefusal(address, lenient)).not.toBeNull();
  });
});
