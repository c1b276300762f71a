import { afterEach, expect, test } from 'vitest';
import type { Finding } from '../../../../probe/checks/check.ts';
import { HeadReader, comparedHeaders } from '../../../../probe/checks/http/response-head.ts';
import { NameServers } from '../../../../probe/checks/network/name-servers.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { check, closeServers, resolverOf, serve } from './http-fixture.ts';

afterEach(closeServers);

const ok = (headers = '', status = 200) =>
  `HTTP/1.1 ${status} OK\r\n${headers}Content-Length: 2\r\nConnection: close\r\n\r\nok`;
const factsOf = ({ facts }: Finding) => ({
  name: facts?.name, addresses: facts?.nameAddresses, hash: facts?.responseHash,
  response: typeof facts?.responseHash === 'number' ? facts.responseFacts?.() : null,
});

test('a response has facts: where redirects led, without queries, and the compared headers', async () => {
  const server = await serve((socket, head) => socket.end(head.startsWith('GET /a')
    ? ok('Server: nginx\r\nVia: 1.1 a\r\nvia: 1.1 b\r\nX-Other: x\r\n')
    : 'HTTP/1.1 302 X\r\nLocation: /a?token=x#y\r\nServer: other\r\n\r\n'));
  const { name, addresses, response } = factsOf(await check({ url: `http://127.0.0.1:${server.port}/` }));
  expect([name, addresses]).toEqual([null, []]);
  expect(response).toEqual({
    redirects: [`http://127.0.0.1:${server.port}/a`], headers: { server: 'nginx', via: '1.1 a, 1.1 b' },
  });
});

test('a response of a server error, one of a redirect that leads nowhere and none at all have no facts', async () => {
  const broken = await serve((socket) => socket.end(ok('Server: balancer\r\n', 503)));
  expect(factsOf(await check({ url: `http://127.0.0.1:${broken.port}/` })).hash).toBeNull();
  const dead = await serve((socket) => socket.end('HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\n\r\n'));
  expect(factsOf(await check({ url: `http://127.0.0.1:${dead.port}/` })).hash).toBeNull();
  const silent = await serve((socket) => socket.destroy());
  expect(factsOf(await check({ url: `http://127.0.0.1:${silent.port}/` })).hash).toBeNull();
});

test('the addresses are those of the first host, of the first family that has any', async () => {
  const server = await serve((socket, head) => socket.end(head.includes('Host: www')
    ? ok() : `HTTP/1.1 302 X\r\nLocation: http://www.shop.test:${server.port}/\r\n\r\n`));
  const resolver = resolverOf({
    'shop.test': { 4: ['127.0.0.1', '127.0.0.3'], 6: ['::1'] }, 'www.shop.test': { 4: ['127.0.0.1'] },
  });
  const found = factsOf(await check({ url: `http://shop.test:${server.port}/` }, { context: { resolver } }));
  expect([found.name, found.addresses]).toEqual(['shop.test', ['127.0.0.1', '127.0.0.3']]);
});

const hashOf = (headers: string) => {
  const raw = Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n`, 'latin1');
  const read = new HeadReader().push(raw, 0, raw.length);
  return read.kind === 'head' ? read.head.comparedHash : null;
};

test('the hash of a head changes with each compared header, and with nothing else', () => {
  const plain = 'Server: a\r\nVia: b\r\nStrict-Transport-Security: c\r\nContent-Security-Policy: d\r\n';
  const hash = hashOf(plain);
  for (const change of [['Server: a', 'Server: x'], ['Via: b', 'Via: x'], ['Security: c', 'Security: x'], ['Policy: d', 'Policy: x'], ['Via: b\r\n', '']]) {
    expect(hashOf(plain.replace(change[0] as string, change[1] as string)), change[0]).not.toBe(hash);
  }
  expect(hashOf(`Date: now\r\nSet-Cookie: id=7\r\n${plain}Vary: x\r\nServer-Timing: 7\r\n`)).toBe(hash);
  expect(hashOf('Date: now\r\n')).toBe(0);
});

test('a nonce in a policy is no change', () => {
  const policy = (nonce: string) => `Content-Security-Policy: script-src 'nonce-${nonce}' 'self'\r\n`;
  expect(hashOf(policy('abc'))).toBe(hashOf(policy('xyz')));
  expect(comparedHeaders(`HTTP/1.1 200 OK\r\n${policy('abc')}\r\n`)).toEqual({
    'content-security-policy': "script-src 'nonce-…' 'self'",
  });
});

test('name servers are those of the registered domain, read once an hour', async () => {
  const clock = new SimulatedClock();
  const asked: string[] = [];
  let servers = ['NS2.Example.net.', 'ns1.example.net', 'db.internal'];
  const names = new NameServers(clock, async (domain) => {
    asked.push(domain);
    return servers;
  }, 0);
  expect(names.of('www.shop.example.co.uk')).toBeNull();
  await clock.advance(1);
  const zone = names.of('shop.example.co.uk');
  expect(zone).toMatchObject({ servers: ['ns1.example.net', 'ns2.example.net'] });
  await clock.advance(3_600_000);
  servers = [];
  expect(names.of('example.co.uk')).toBe(zone);
  await clock.advance(1);
  expect(names.of('example.co.uk')).toBe(zone);
  expect(asked).toEqual(['example.co.uk', 'example.co.uk']);
  for (const internal of ['db.internal', 'printer', '192.0.2.1', 'localhost']) expect(names.of(internal)).toBeNull();
  await clock.advance(1);
  expect(asked).toHaveLength(2);
});
