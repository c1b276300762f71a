import { expect, test } from 'vitest';
import { networksOf } from '../../../controller/work/client-networks.ts';

test.each([
  ['ip:2001:db8:1:2a3::/64', [
    ['ip:2001:db8:1:2a3::/64', 1], ['ip:2001:db8:1:200::/56', 4], ['ip:2001:db8:1::/48', 16],
  ]],
  ['ip:2001:db8:0:7::/64', [['ip:2001:db8:0:7::/64', 1], ['ip:2001:db8:0:0::/56', 4], ['ip:2001:db8:0::/48', 16]]],
  ['ip:203.0.113.5', [['ip:203.0.113.5', 1]]],
  ['ip:', [['ip:', 1]]],
  ['user:01900000-0000-7000-8000-000000000000', [['user:01900000-0000-7000-8000-000000000000', 1]]],
  ['ip:2001:db8:1:2::/64 ada@example.com', [['ip:2001:db8:1:2::/64 ada@example.com', 1]]],
])('%s counts against its networks', (caller, networks) => {
  expect(networksOf(caller).map(({ key, factor }) => [key, factor])).toEqual(networks);
});
