import { describe, expect, test } from 'vitest';
import { addressBucket, clientAddress } from '../../../../controller/http/routing/exchange.ts';

describe('client address', () => {
  test.each<[string, string | undefined, string | string[] | undefined, number, string]>([
    ['is the peer if no proxy is trusted', '203.0.113.5', '1.1.1.1', 0, '203.0.113.5'],
    ['is the peer without the header', '203.0.113.5', undefined, 2, '203.0.113.5'],
    ['is plain IPv4 if it is IPv4-mapped', '::ffff:203.0.113.5', undefined, 0, '203.0.113.5'],
    ['is the last hop behind one proxy', '10.0.0.1', '6.6.6.6, 1.1.1.1', 1, '1.1.1.1'],
    ['is the hop before the last behind two', '10.0.0.1', '6.6.6.6, 1.1.1.1, 10.0.0.2', 2, '1.1.1.1'],
    ['is the first hop if there are fewer hops than proxies', '10.0.0.1', '1.1.1.1', 3, '1.1.1.1'],
    ['is the peer if the hop is not an address', '10.0.0.1', 'unknown', 1, '10.0.0.1'],
    ['is the peer if the header is empty', '10.0.0.1', '', 1, '10.0.0.1'],
    ['has no port', '10.0.0.1', '1.1.1.1:4711', 1, '1.1.1.1'],
    ['has no brackets', '10.0.0.1', '[2001:db8::1]:4711', 1, '2001:db8::1'],
    ['may come from repeated headers', '10.0.0.1', ['6.6.6.6', '1.1.1.1'], 1, '1.1.1.1'],
    ['is empty if the peer is gone', undefined, undefined, 0, ''],
  ])('%s', (_title, peer, header, proxies, address) => {
    expect(clientAddress(peer, header, proxies)).toBe(address);
  });
});

describe('rate limit key of an address', () => {
  test.each([
    ['203.0.113.5', '203.0.113.5'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8:1:2::192.0.2.1', '2001:db8:1:2::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, bucket) => {
    expect(addressBucket(address)).toBe(bucket);
  });
});
