import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { addressKey } from '../../../controller/http/routing/exchange.ts';
import { ConnectionShares, type HttpSocket } from '../../../controller/work/client-networks.ts';

/** Opens `count` connections and returns those that are admitted; they stay open. */
function admitted(shares: ConnectionShares, count: number, address: (at: number) => string): Socket[] {
  const sockets = Array.from({ length: count }, () => new Socket());
  return sockets.filter((socket, at) => shares.admit(socket, addressKey(address(at))));
}

/** Address `host` in /64 number `at` of a /48; each /56 contains 256 of them. */
const inNetwork = (network: string, at: number, host = 1) => `2001:db8:${network}:${at.toString(16)}::${host}`;

test('limits a /64 to one address share, a /56 to four and a /48 to half of all connections', () => {
  const shares = new ConnectionShares({ maxConnections: 100, maxConnectionsOfAddress: 5 });
  expect(admitted(shares, 10, (at) => inNetwork('a', 0, at + 1))).toHaveLength(5);
  // The /56 has room for 15 more.
  expect(admitted(shares, 50, (at) => inNetwork('a', at + 1))).toHaveLength(15);
  expect(admitted(shares, 100, (at) => inNetwork('a', 256 * (at + 1)))).toHaveLength(30);
  expect(admitted(shares, 10, () => inNetwork('b', 0))).toHaveLength(5);
  expect(admitted(shares, 10, () => '192.0.2.1')).toHaveLength(5);
});

test('a closed connection frees its share in each network', async () => {
  const shares = new ConnectionShares({ maxConnections: 8, maxConnectionsOfAddress: 2 });
  const open = admitted(shares, 8, (at) => inNetwork('a', at));
  expect(open).toHaveLength(4);
  await Promise.all(open.map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())));
  expect(admitted(shares, 8, (at) => inNetwork('a', at + 8))).toHaveLength(4);
});

test('an address share above half of all connections also applies to wider networks', () => {
  const shares = new ConnectionShares({ maxConnections: 10, maxConnectionsOfAddress: 10 });
  expect(admitted(shares, 20, (at) => inNetwork('a', at))).toHaveLength(10);
});

test('near the limit, closes an idle connection of the largest /48, even if no /64 has two', () => {
  const shares = new ConnectionShares({ maxConnections: 10, maxConnectionsOfAddress: 5 });
  const greedy = admitted(shares, 5, (at) => inNetwork('a', at));
  const modest = admitted(shares, 4, (at) => `192.0.2.${at % 2}`);
  shares.markUsed(greedy[0] as Socket);
  expect(shares.admit(new Socket(), addressKey('198.51.100.1'))).toBe(true);
  expect(greedy.map(({ destroyed }) => destroyed)).toEqual([false, true, false, false, false]);
  expect(modest.some(({ destroyed }) => destroyed)).toBe(false);
});

test('a newcomer never closes connections of clients with fewer open', () => {
  const shares = new ConnectionShares({ maxConnections: 10, maxConnectionsOfAddress: 10 });
  const modest = admitted(shares, 2, () => '192.0.2.1');
  const greedy: HttpSocket[] = admitted(shares, 7, () => '192.0.2.2');
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  for (const socket of greedy) socket._httpMessage = response;
  expect(shares.admit(new Socket(), addressKey('192.0.2.2'))).toBe(true);
  expect([...modest, ...greedy].some(({ destroyed }) => destroyed)).toBe(false);
});

test('four addresses with busy connections leave the last tenth free and make room for newcomers', async () => {
  const shares = new ConnectionShares({ maxConnections: 100, maxConnectionsOfAddress: 25 });
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const admittedOf = new Map<string, HttpSocket[]>();
  const open = async (address: string): Promise<boolean> => {
    const socket: HttpSocket = new Socket();
    const isAdmitted = shares.admit(socket, addressKey(address));
    socket._httpMessage = response;
    if (isAdmitted) admittedOf.set(address, [...(admittedOf.get(address) ?? []), socket]);
    // Waits for the close events of evicted sockets.
    await new Promise((resolve) => setImmediate(resolve));
    return isAdmitted;
  };
  const openOf = (address: string) => (admittedOf.get(address) ?? []).filter(({ destroyed }) => !destroyed).length;
  const greedy = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
  const greedyOpen = () => greedy.reduce((total, address) => total + openOf(address), 0);
  for (const address of greedy) for (let at = 0; at < 25; at += 1) await open(address);
  expect(greedyOpen()).toBe(90);
  for (let at = 1; at <= 20; at += 1) expect(await open(`198.51.100.${at}`)).toBe(true);
  expect(greedyOpen()).toBe(70);
  for (const address of greedy) await open(address);
  expect(greedyOpen()).toBe(70);
});
