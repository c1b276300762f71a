import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import type * as HostsFile from '../../../probe/checks/network/hosts-file.ts';
import type * as SystemServersModule from '../../../probe/checks/network/system-servers.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { fuzzedParser } from './fuzzed-parser.ts';

/** Names are single lower-case words, and addresses come from the file. */
export const hostsFile = fuzzedParser<typeof HostsFile>({
  name: 'hosts-file', entry: 'probe/checks/network/hosts-file.ts',
  seeds: [
    '127.0.0.1 localhost\n::1\tlocalhost ip6-localhost # loopback\n\n#192.0.2.1 gone\n192.0.2.7  a.test A.B.Test\r\n',
    '10.0.0.1 a\n10.0.0.2 a\n1.2.3 b\nfe80::1%eth0 link\n', '\ufeff127.0.0.1 x __proto__ constructor\n', 'x y z',
  ].map((text) => Buffer.from(text)),
  feed: ({ parseHosts }, bytes) => {
    const text = bytes.toString();
    for (const [name, addresses] of parseHosts(text)) {
      assert.ok(/^\S+$/.test(name) && name === name.toLowerCase() && addresses.length > 0);
      for (const address of addresses) assert.ok(isIP(address) !== 0 && text.includes(address));
    }
  },
});

/** A line of Node's list yields an address and a port; the address is unchanged. */
export const systemServers = fuzzedParser<typeof SystemServersModule>({
  name: 'system-servers', entry: 'probe/checks/network/system-servers.ts',
  seeds: ['192.0.2.1\n192.0.2.2:5353', '[2001:db8::1]:53\n2001:db8::2', 'fe80::1%eth0\n[fe80::1%2]:54', ':\n[]:\n[:1'],
  feed: ({ SystemServers }, bytes) => {
    const lines = bytes.toString('latin1').split('\n');
    const servers = new SystemServers(new SimulatedClock(), { read: () => lines }).current();
    assert.equal(servers.length, Math.min(3, lines.length));
    for (const [at, { address, port }] of servers.entries()) {
      assert.ok(Number.isFinite(port) && port >= 0 && (lines[at] as string).includes(address));
      if (isIP(lines[at] as string) !== 0) assert.deepEqual({ address, port }, { address: lines[at], port: 53 });
    }
  },
});
