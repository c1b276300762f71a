import fc from 'fast-check';
import { BlockList } from 'node:net';
import { describe, expect, test } from 'vitest';
import { addressRefusal, classifyAddress, isGlobalUnicast } from '../../../shared/net-guard.ts';

describe('an address is classified', () => {
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
    expect(isGlobalUnicast(address)).toBe(kind === 'global');
  });

  test('IPv4 agrees with the block list of Node on the published ranges', () => {
    const blocked = new BlockList();
    for (const [base, bits] of [
      ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12], ['192.0.0.0', 24],
      ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15], ['198.51.100.0', 24], ['203.0.113.0', 24],
      ['224.0.0.0', 4], ['240.0.0.0', 4], ['168.63.129.16', 32],
    ] as const) blocked.addSubnet(base, bits, 'ipv4');
    fc.assert(
      fc.property(fc.ipV4(), (address) => isGlobalUnicast(address) === !blocked.check(address, 'ipv4')),
      { numRuns: 2000 },
    );
  });

  test('IPv6 is global only within the ranges that Node finds so too', () => {
    const allowed = new BlockList();
    allowed.addSubnet('2000::', 3, 'ipv6');
    const blocked = new BlockList();
    for (const [base, bits] of [['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20]] as const) blocked.addSubnet(base, bits, 'ipv6');
    const near2000 = fc.tuple(fc.constantFrom('2000', '2001', '2002', '2003', '3fff', '4000', '1fff'), fc.nat(0xffff), fc.nat(0xffff)).map(
      ([head, second, last]) => `${head}:${second.toString(16)}::${last.toString(16)}`,
    );
    fc.assert(
      fc.property(fc.oneof(fc.ipV6(), near2000), (address) => {
        expect(isGlobalUnicast(address)).toBe(allowed.check(address, 'ipv6') && !blocked.check(address, 'ipv6'));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a policy', () => {
  const strict = { allowPrivate: false, ownAddresses: new Set(['93.184.216.34']) };
  const lenient = { ...strict, allowPrivate: true };

  test('without private addresses lets only global ones through that are not our own', () => {
    expect(addressRefusal('8.8.8.8', strict)).toBeNull();
    expect(addressRefusal('93.184.216.34', strict)).toBe('93.184.216.34 is an address of this host');
    expect(addressRefusal('10.1.2.3', strict)).toBe('10.1.2.3 is a private address');
    expect(addressRefusal('127.0.0.1', strict)).toBe('127.0.0.1 is a loopback address');
  });

  test('with private addresses still refuses link-local, metadata, reserved and embedded ones', () => {
    for (const address of ['10.1.2.3', '127.0.0.1', '::1', 'fd12::1', '93.184.216.34', '100.64.1.1']) expect(addressRefusal(address, lenient)).toBeNull();
    for (const address of ['169.254.1.1', '169.254.169.254', 'fe80::1', 'fd00:ec2::254', '100.100.100.200', '0.0.0.0', '::', '224.0.0.1', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', 'x']) {
      expect(addressRefusal(address, lenient)).not.toBeNull();
    }
  });
});
