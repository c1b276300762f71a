import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { ConnectionShares } from '../../../controller/http/connection-shares.ts';

/** How many of these connections are admitted, which stay open. */
function admitted(shares: ConnectionShares, count: number, address: (at: number) => string): Socket[] {
  const sockets = Array.from({ length: count }, () => new Socket());
  return sockets.filter((socket, at) => shares.admit(socket, address(at)));
}

/** Address `host` of the /64 number `at` in a /48; 256 of them are in one /56. */
const inNetwork = (network: string, at: number, host = 1) => `2001:db8:${network}:${at.toString(16)}::${host}`;

test('a /64 has the share of an address, a /56 four and a /48 half of all', () => {
  const shares = new ConnectionShares({ maxConnections: 100, maxConnectionsOfAddress: 5 });
  expect(admitted(shares, 10, (at) => inNetwork('a', 0, at + 1))).toHaveLength(5);
  // 15 more fit into the /56.
  expect(admitted(shares, 50, (at) => inNetwork('a', at + 1))).toHaveLength(15);
  expect(admitted(shares, 100, (at) => inNetwork('a', 256 * (at + 1)))).toHaveLength(30);
  expect(admitted(shares, 10, () => inNetwork('b', 0))).toHaveLength(5);
  expect(admitted(shares, 10, () => '192.0.2.1')).toHaveLength(5);
});

test('a closed connection gives its place back in each network', async () => {
  const shares = new ConnectionShares({ maxConnections: 8, maxConnectionsOfAddress: 2 });
  const open = admitted(shares, 8, (at) => inNetwork('a', at));
  expect(open).toHaveLength(4);
  await Promise.all(open.map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())));
  expect(admitted(shares, 8, (at) => inNetwork('a', at + 8))).toHaveLength(4);
});

test('the share of an address holds for its wider networks where it is more than half of all', () => {
  const shares = new ConnectionShares({ maxConnections: 10, maxConnectionsOfAddress: 10 });
  expect(admitted(shares, 20, (at) => inNetwork('a', at))).toHaveLength(10);
});
