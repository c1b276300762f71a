import { afterEach, describe, expect, test } from 'vitest';
import { Trust } from '../../../../probe/checks/tls/trust.ts';
import { issue } from './certificates.ts';
import { check, checkKeywords, closeServers, resolverOf, serve } from './http-fixture.ts';

afterEach(closeServers);

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';
const redirect = (to: string, status = 302) => `HTTP/1.1 ${status} X\r\nLocation: ${to}\r\n\r\n`;
/** The request lines received, without the host. */
const linesOf = (received: string | undefined) =>
  (received ?? '').split('\r\n').filter((line) => !/^(Host|Connection):/.test(line));

const SENT = {
  method: 'POST', body: '{"password":"x"}',
  headers: {
    Authorization: 'Bearer x', Cookie: 'a=b', 'X-Api-Key': 'x', 'Content-Type': 'application/json',
    Accept: 'text/html', 'accept-language': 'de', 'User-Agent': 'me',
  },
} as const;
const HARMLESS = ['Accept: text/html', 'accept-language: de', 'User-Agent: me'];

describe('a redirect', () => {
  test.each([301, 302, 303])('with status %i turns POST into GET without a body', async (status) => {
    const server = await serve((socket, head) => socket.end(
      head.startsWith('POST') ? redirect('/x', status) : OK,
    ));
    expect(await check({ url: `http://127.0.0.1:${server.port}/`, ...SENT })).toMatchObject({ outcome: 'success' });
    expect(linesOf(server.received[1])).toEqual([
      'GET /x HTTP/1.1', 'Authorization: Bearer x', 'Cookie: a=b', 'X-Api-Key: x', ...HARMLESS, '', '',
    ]);
  });

  test.each([307, 308])('with status %i repeats method, headers and body', async (status) => {
    const server = await serve((socket, head) => socket.end(
      head.startsWith('POST / ') ? redirect('/x', status) : OK,
    ));
    expect(await check({ url: `http://127.0.0.1:${server.port}/`, ...SENT })).toMatchObject({ outcome: 'success' });
    expect(linesOf(server.received[1])).toEqual(
      linesOf(server.received[0]).map((line) => line.replace('POST / ', 'POST /x ')),
    );
  });

  test.each([301, 302, 303, 307, 308])('with status %i sends neither credentials nor body to another origin', async (status) => {
    const other = await serve((socket) => socket.end(OK));
    const server = await serve((socket) => socket.end(redirect(`http://127.0.0.1:${other.port}/y`, status)));
    expect(await check({ url: `http://127.0.0.1:${server.port}/`, ...SENT })).toMatchObject({ outcome: 'success' });
    expect(linesOf(other.received[0])).toEqual([
      `${status < 307 ? 'GET' : 'POST'} /y HTTP/1.1`, ...HARMLESS,
      ...(status < 307 ? [] : ['Content-Length: 0']), '', '',
    ]);
  });

  test.each([301, 302, 303, 307, 308])('with status %i to a forbidden address is missed without connecting', async (status) => {
    const inner = await serve((socket) => socket.end(OK), { host: '127.0.0.2' });
    const server = await serve((socket) => socket.end(redirect(`http://127.0.0.2:${inner.port}/`, status)));
    const context = { allowAddress: (ip: string) => ip === '127.0.0.1' };
    expect(await check({ url: `http://127.0.0.1:${server.port}/` }, { context })).toMatchObject({
      outcome: 'missed', missed: 'blocked_target',
    });
    expect([server.connections, inner.connections]).toEqual([1, 0]);
  });

  test.each<[string, (to: string) => string]>([
    ['a Refresh header', (to) => `HTTP/1.1 200 OK\r\nRefresh: 0; url=http://${to}/\r\n\r\n`],
    ['Alt-Svc', (to) => `HTTP/1.1 200 OK\r\nAlt-Svc: http/1.1="${to}"; persist=1\r\n\r\n`],
    ['a meta element', (to) => `HTTP/1.1 200 OK\r\n\r\n<meta http-equiv="refresh" content="0; url=http://${to}/">`],
  ])('by %s is not followed: nothing else is connected to', async (_what, page) => {
    const other = await serve((socket) => socket.end(OK));
    const server = await serve((socket) => socket.end(page(`127.0.0.1:${other.port}`)));
    const url = `http://127.0.0.1:${server.port}/`;
    for (const one of [() => check({ url }), () => checkKeywords([{ not: 'needle' }], { url })]) {
      expect(await one()).toMatchObject({ outcome: 'success', remote_address: '127.0.0.1' });
    }
    expect([server.connections, other.connections]).toEqual([2, 0]);
  });

  test('back to the first origin does not restore the credentials', async () => {
    const home = await serve((socket, head) => socket.end(
      head.startsWith('POST /back') ? OK : redirect(`http://127.0.0.1:${away.port}/`, 307),
    ));
    const away = await serve((socket) => socket.end(redirect(`http://127.0.0.1:${home.port}/back`, 307)));
    expect(await check({ url: `http://127.0.0.1:${home.port}/`, ...SENT })).toMatchObject({ outcome: 'success' });
    expect(linesOf(home.received[1])).toEqual(['POST /back HTTP/1.1', ...HARMLESS, 'Content-Length: 0', '', '']);
  });

  test('from https to http is followed without credentials', async () => {
    const authority = issue({ name: 'Root', isAuthority: true });
    const { cert, key } = issue({ name: 'a', hosts: ['a.test'], by: authority });
    const plain = await serve((socket) => socket.end(OK));
    const server = await serve(
      (socket) => socket.end(redirect(`http://a.test:${plain.port}/`, 307)), { tls: { cert, key } },
    );
    const context = { trust: new Trust([authority.cert]), resolver: resolverOf({ 'a.test': { 4: ['127.0.0.1'] } }) };
    expect(await check({ url: `https://a.test:${server.port}/`, ...SENT }, { context }))
      .toMatchObject({ outcome: 'success', tls: null });
    expect(linesOf(server.received[0])).toContain('X-Api-Key: x');
    expect(linesOf(plain.received[0])).toEqual(['POST / HTTP/1.1', ...HARMLESS, 'Content-Length: 0', '', '']);
  });

  test('is followed up to the configured limit', async () => {
    let count = 0;
    const server = await serve((socket) => socket.end(redirect(`/${++count}`)));
    expect(await check({ url: `http://127.0.0.1:${server.port}/`, max_redirects: 3 })).toMatchObject({
      outcome: 'failure', status_code: 302, error: { type: 'status_code', message: 'More than 3 redirects' },
    });
    expect(server.connections).toBe(4);
  });

  test('in a loop is reported', async () => {
    const server = await serve((socket, head) => socket.end(redirect(head.startsWith('GET /b?c') ? '/a' : '/b?c')));
    expect(await check({ url: `http://127.0.0.1:${server.port}/a`, max_redirects: 4 })).toMatchObject({
      error: { type: 'status_code', message: 'More than 4 redirects, in a loop: /b?… → /a → /b?…' },
    });
    const other = await serve((socket) => socket.end(redirect(`http://127.0.0.1:${server.port}/a`)));
    server.received.length = 0;
    const away = await serve((socket) => socket.end(redirect(`http://127.0.0.1:${third.port}/1`)));
    const third = await serve((socket) => socket.end(redirect(`http://127.0.0.1:${away.port}/2`)));
    const finding = await check({ url: `http://127.0.0.1:${away.port}/2` });
    expect(finding.error?.message).toBe(
      `More than 5 redirects, in a loop: http://127.0.0.1:${away.port}/2 → http://127.0.0.1:${third.port}/1 → `
        + `http://127.0.0.1:${away.port}/2`,
    );
    expect(other.connections).toBe(0);
  });

  test('that ends after returning to an address is not a loop', async () => {
    const server = await serve((socket) => socket.end(server.connections < 3 ? redirect('/') : OK));
    expect(await check({ url: `http://127.0.0.1:${server.port}/` })).toMatchObject({ outcome: 'success' });
  });

  test('is the final response if redirects are off or its status is expected', async () => {
    const server = await serve((socket) => socket.end(redirect('/x', 301)));
    const url = `http://127.0.0.1:${server.port}/`;
    expect(await check({ url, follow_redirects: false })).toMatchObject({ outcome: 'failure', status_code: 301 });
    expect(await check({ url, expected_status: [301] })).toMatchObject({ outcome: 'success', status_code: 301 });
  });

  test.each([
    ['file:///etc/passwd', 'Refused to follow a redirect to file: addresses'],
    ['gopher://127.0.0.1/', 'Refused to follow a redirect to gopher: addresses'],
    ['http://[', 'A redirect has an invalid target: http://['],
  ])('to %s is not followed', async (location, message) => {
    const server = await serve((socket) => socket.end(redirect(location)));
    expect(await check({ url: `http://127.0.0.1:${server.port}/` })).toMatchObject({
      outcome: 'failure', error: { type: 'connection_error', message },
    });
  });

  test('from https to a file is not followed', async () => {
    const authority = issue({ name: 'Root', isAuthority: true });
    const { cert, key } = issue({ name: 'a', addresses: ['127.0.0.1'], by: authority });
    const server = await serve((socket) => socket.end(redirect('file:///etc/passwd')), { tls: { cert, key } });
    const context = { trust: new Trust([authority.cert]) };
    expect((await check({ url: `https://127.0.0.1:${server.port}/` }, { context })).error).toMatchObject({
      type: 'connection_error', message: 'Refused to follow a redirect to file: addresses',
    });
  });

  test('shares the deadline of the whole check', async () => {
    let count = 0;
    const server = await serve((socket) => void setTimeout(() => socket.end(redirect(`/${++count}`)), 60));
    expect(
      await check({ url: `http://127.0.0.1:${server.port}/`, max_redirects: 10 }, { timeoutMs: 150 }),
    ).toMatchObject({ outcome: 'failure', error: { type: 'timeout' } });
  });
});

describe('connect_to', () => {
  const context = { resolver: resolverOf({ 'inner.test': { 4: ['127.0.0.1'] } }) };

  test('replaces the host and port of the URL, but not the Host header', async () => {
    const server = await serve((socket) => socket.end(OK));
    for (const connect_to of [{ host: '127.0.0.1', port: server.port }, { host: 'inner.test', port: server.port }]) {
      expect(await check({ url: 'http://shop.test/a', connect_to }, { context })).toMatchObject({
        outcome: 'success', remote_address: '127.0.0.1',
      });
    }
    expect(server.received[1]).toContain('GET /a HTTP/1.1\r\nHost: shop.test\r\n');
    expect(await check({ url: `http://shop.test:${server.port}/`, connect_to: { host: '127.0.0.1' } }))
      .toMatchObject({ outcome: 'success' });
  });

  test("still uses the URL's name for SNI and the certificate", async () => {
    const authority = issue({ name: 'Root', isAuthority: true });
    const { cert, key } = issue({ name: 'a', hosts: ['shop.test'], by: authority });
    const names: string[] = [];
    const server = await serve((socket) => socket.end(OK), {
      tls: { cert, key, SNICallback: (name, done) => {
        names.push(name);
        done(null);
      } },
    });
    const connect_to = { host: '127.0.0.1', port: server.port };
    const trust = new Trust([authority.cert]);
    const finding = await check({ url: 'https://shop.test/', connect_to }, { context: { trust } });
    expect([finding.outcome, finding.tls?.facts().valid]).toEqual(['success', true]);
    expect(names).toEqual(['shop.test']);
    expect(await check({ url: 'https://other.test/', connect_to }, { context: { trust } })).toMatchObject({
      error: { type: 'ssl_error', message: 'The certificate is not valid for other.test' },
    });
  });

  test('applies only to redirects to the same host', async () => {
    const inner = await serve((socket, head) => socket.end(
      head.startsWith('GET /there') ? redirect(`http://inner.test:${other.port}/`) : redirect('/there'),
    ));
    const other = await serve((socket) => socket.end(OK));
    const connect_to = { host: '127.0.0.1', port: inner.port };
    expect(await check({ url: 'http://shop.test/', connect_to }, { context })).toMatchObject({ outcome: 'success' });
    expect([inner.connections, other.connections]).toEqual([2, 1]);
  });

  test('cannot lead to an address that checks must not reach', async () => {
    const server = await serve((socket) => socket.end(OK), { host: '127.0.0.2' });
    const connect_to = { host: '127.0.0.2', port: server.port };
    const finding = await check({ url: 'http://127.0.0.1/', connect_to }, {
      context: { allowAddress: (ip) => ip === '127.0.0.1' },
    });
    expect(finding).toMatchObject({ outcome: 'missed', missed: 'blocked_target' });
    expect(server.connections).toBe(0);
  });
});

describe('the address family', () => {
  const resolver = resolverOf({ 'both.test': { 4: ['127.0.0.1'], 6: ['::1'] }, 'four.test': { 4: ['127.0.0.1'] } });

  test('is the one set on the monitor', async () => {
    const six = await serve((socket) => socket.end(OK), { host: '::1' });
    const url = `http://both.test:${six.port}/`;
    expect(await check({ url, ip_family: 'ipv6' }, { context: { resolver } })).toMatchObject({
      outcome: 'success', remote_address: '::1',
    });
    expect(await check({ url, ip_family: 'ipv4' }, { context: { resolver } })).toMatchObject({
      outcome: 'failure', error: { type: 'connection_error', message: 'Connection refused' },
    });
  });

  test.each([
    ['http://four.test/', 'dns_error', 'The name four.test has no IPv6 address'],
    ['http://127.0.0.1/', 'connection_error', '127.0.0.1 is not an IPv6 address'],
  ])('is missing for %s', async (url, type, message) => {
    expect(await check({ url, ip_family: 'ipv6' }, { context: { resolver } })).toMatchObject({
      outcome: 'failure', error: { type, message },
    });
  });
});

test.each<[number, Parameters<typeof check>[0], string]>([
  [404, { expected_ranges: [{ first: 200, last: 299 }] }, 'Expected 200-299, got 404'],
  [200, { expected_ranges: [{ first: 400, last: 499 }] }, 'Expected 400-499, got 200'],
  [503, { expected_status: [404], expected_ranges: [{ first: 200, last: 302 }] },
    'Expected one of 404, 200-302, got 503'],
  [302, { expected_status: [404], expected_ranges: [{ first: 200, last: 302 }] }, ''],
  [404, { expected_status: [404], expected_ranges: [{ first: 200, last: 302 }] }, ''],
])('status %i with %j: %s', async (status, spec, message) => {
  const server = await serve((socket) => socket.end(`HTTP/1.1 ${status} X\r\n\r\n`));
  expect(await check({ url: `http://127.0.0.1:${server.port}/`, ...spec })).toMatchObject(
    message === '' ? { outcome: 'success' } : { error: { type: 'status_code', message } },
  );
});
