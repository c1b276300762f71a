import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { drip } from '../../../helpers/drip.ts';
import { until } from '../../../helpers/until.ts';
import { check, closeServers, resolverOf, serve } from './http-fixture.ts';
import { startRawServer } from './raw-server.ts';

afterEach(closeServers);

/** Linux refuses to connect to a multicast address, as with one without a route. */
const UNROUTABLE = 'ff02::1';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';

describe('an HTTP check', () => {
  test('succeeds with the time of each phase, and closes its connection', async () => {
    let closed = 0;
    const server = await serve((socket) => {
      socket.on('close', () => (closed += 1));
      setTimeout(() => socket.end(OK), 30);
    });
    const finding = await check({ url: `http://127.0.0.1:${server.port}/a/b?c=d#e` });
    expect(finding).toMatchObject({
      outcome: 'success', degraded: false, status_code: 200, error: null, remote_address: '127.0.0.1',
      tls: null,
    });
    expect(finding.timings?.first_byte).toBeGreaterThanOrEqual(25);
    expect(finding.response_time_ms).toBeGreaterThanOrEqual(finding.timings?.first_byte as number);
    expect(finding.timings?.dns).toBeUndefined();
    expect(server.received[0])
      .toBe(
        `GET /a/b?c=d HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\nUser-Agent: Farwatch/9.9.9\r\nAccept: */*\r\n\r\n`,
      );
    await until(() => closed === 1);
  });

  test('sends method, headers and body, without headers that would break its framing', async () => {
    const server = await serve((socket) => void setTimeout(() => socket.end(OK), 20));
    const headers = {
      Authorization: 'Bearer x', 'User-Agent': 'me', Host: 'evil', 'Content-Length': '999',
      'transfer-encoding': 'chunked', 'X-Bad': 'a\r\nInjected: 1', 'Bad Name': 'x',
    };
    expect((await check({
      url: `http://127.0.0.1:${server.port}/`, method: 'POST', headers, body: 'grüß',
    })).outcome)
      .toBe('success');
    await until(() => server.received[0]?.endsWith(Buffer.from('grüß').toString('latin1')));
    expect(server.received[0])
      .toBe(`POST / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\nAuthorization: Bearer x\r\nUser-Agent: me\r\nAccept: */*\r\nContent-Length: 6\r\n\r\n${Buffer.from('grüß')
      .toString('latin1')}`);
  });

  test('is degraded when the response is slower than the threshold', async () => {
    const server = await serve((socket) => void setTimeout(() => socket.end(OK), 60));
    expect(
      await check({ url: `http://127.0.0.1:${server.port}`, slow_response_threshold_ms: 40 }),
    ).toMatchObject({ outcome: 'success', degraded: true });
  });

  test('fails when a slower response counts as a failure', async () => {
    const server = await serve((socket) => void setTimeout(() => socket.end(OK), 60));
    const slow = { slow_response_threshold_ms: 40, slow_response_action: 'down' as const };
    const finding = await check({ url: `http://127.0.0.1:${server.port}`, ...slow });
    expect(finding).toMatchObject({
      outcome: 'failure', degraded: false, status_code: 200, response_time_ms: expect.any(Number) as number,
      error: { type: 'slow_response', message: expect.stringMatching(/^Response took \d+ ms, slower than 40 ms$/) as string },
    });
    const url = `http://127.0.0.1:${server.port}`;
    expect((await check({ url, ...slow, slow_response_threshold_ms: 5000 })).outcome).toBe('success');
  });

  test.each([
    [503, [], 'Expected 200-299, got 503'],
    [200, [503], 'Expected 503, got 200'],
    [404, [200, 204], 'Expected one of 200, 204, got 404'],
  ])('fails as status_code for status %i where %j is expected', async (status, expected, message) => {
    const server = await serve((socket) => socket.end(`HTTP/1.1 ${status} X\r\n\r\n`));
    expect(await check({ url: `http://127.0.0.1:${server.port}`, expected_status: expected })).toMatchObject({
      outcome: 'failure', status_code: status, error: { type: 'status_code', message },
    });
  });

  test('accepts an error status that is expected', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 503 X\r\n\r\n'));
    expect(await check({ url: `http://127.0.0.1:${server.port}`, expected_status: [503] })).toMatchObject({
      outcome: 'success', status_code: 503,
    });
  });

  test('skips interim responses', async () => {
    const server = await serve((socket) => socket.end(
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
    ));
    expect(await check({ url: `http://127.0.0.1:${server.port}` })).toMatchObject({
      outcome: 'success', status_code: 200,
    });
  });

  test.each<[string, (socket: Socket) => void, RegExp]>([
    ['never responds', () => undefined, /No response within 150 ms \(waiting for the response\)/],
    [
      'drips its head byte by byte', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX: a', 5),
      /No response within 150 ms/,
    ],
  ])('fails as timeout for a server that %s', async (_what, behave, message) => {
    const server = await serve(behave);
    const finding = await check({ url: `http://127.0.0.1:${server.port}` }, { timeoutMs: 150 });
    expect(finding).toMatchObject({
      outcome: 'failure', error: { type: 'timeout', message: expect.stringMatching(message) as string },
    });
  });

  const header = `X-Filler: ${'a'.repeat(30)}\r\n`;
  test.each<[string, (socket: Socket) => void, RegExp]>([
    ['resets the connection', (socket) => void socket.resetAndDestroy(), /Connection reset/],
    ['closes without a response', (socket) => void socket.end(), /closed before a response/],
    [
      'closes in the middle of the head', (socket) => void socket.end('HTTP/1.1 200 OK\r\nServer'),
      /closed before a response/,
    ],
    [
      'speaks another protocol', (socket) => void socket.end('SSH-2.0-OpenSSH\r\n'),
      /Not a valid HTTP response: the response is not HTTP\/1/,
    ],
    [
      'sends 1 MB of headers', (socket) => void socket.end(`HTTP/1.1 200 OK\r\n${header.repeat(25_000)}\r\n`),
      /larger than 32 kB/,
    ],
  ])('fails as connection_error for a server that %s', async (_what, behave, message) => {
    const server = await serve(behave);
    const finding = await check({ url: `http://127.0.0.1:${server.port}` });
    expect(finding).toMatchObject({
      outcome: 'failure',
      error: { type: 'connection_error', message: expect.stringMatching(message) as string },
    });
  });

  test('fails as connection_error if the port refuses connections', async () => {
    const server = await startRawServer(() => undefined);
    await server.close();
    expect(await check({ url: `http://127.0.0.1:${server.port}` })).toMatchObject({
      outcome: 'failure', error: { type: 'connection_error', message: 'Connection refused' },
    });
  });

  test('ends at the deadline if a host does not accept the connection', async () => {
    const finding = await check({ url: 'http://192.0.2.1/' }, { timeoutMs: 120 });
    // A machine without any route reports that immediately, which is not the target's fault.
    if (finding.outcome === 'missed') expect(finding.missed).toBe('probe_unhealthy');
    else expect(finding).toMatchObject({ outcome: 'failure' });
  });

  describe('with host names', () => {
    test('resolves the name, and reports the lookup time', async () => {
      const server = await serve((socket) => socket.end(OK));
      const finding = await check(
        { url: `http://target.test:${server.port}/` },
        { context: { resolver: resolverOf({ 'target.test': { 4: ['127.0.0.1'] } }) } },
      );
      expect(finding).toMatchObject({ outcome: 'success', remote_address: '127.0.0.1' });
      expect(finding.timings?.dns).toBeGreaterThanOrEqual(0);
      expect(server.received[0]).toContain(`Host: target.test:${server.port}\r\n`);
    });

    test('tries the next address if one refuses the connection', async () => {
      const server = await serve((socket) => socket.end(OK), { host: '127.0.0.1' });
      const resolver = resolverOf({ 'target.test': { 4: ['127.0.0.9', '127.0.0.1'] } });
      expect(
        await check({ url: `http://target.test:${server.port}/` }, { context: { resolver } }),
      ).toMatchObject({ outcome: 'success', remote_address: '127.0.0.1' });
    });

    test('tries IPv6 if no IPv4 address accepts the connection, or there is none', async () => {
      const server = await serve((socket) => socket.end(OK), { host: '::1' });
      const both = resolverOf({ 'target.test': { 4: ['127.0.0.9'], 6: ['::1'] } });
      expect(
        await check({ url: `http://target.test:${server.port}/` }, { context: { resolver: both } }),
      ).toMatchObject({ outcome: 'success', remote_address: '::1' });
      const only = resolverOf({ 'target.test': { 6: ['::1'] } });
      expect(
        await check({ url: `http://target.test:${server.port}/` }, { context: { resolver: only } }),
      ).toMatchObject({ outcome: 'success', remote_address: '::1' });
      expect(await check({ url: `http://[::1]:${server.port}/` })).toMatchObject({
        outcome: 'success', remote_address: '::1',
      });
    });

    test.each([
      ['the last one has no route', { 4: ['127.0.0.1'], 6: [UNROUTABLE] }, 'http'],
      ['the first one has no route', { 4: ['255.255.255.255', '127.0.0.1'] }, 'http'],
      ['the last one has no route over HTTPS', { 4: ['127.0.0.1'], 6: [UNROUTABLE] }, 'https'],
    ])('reports the failure of the first address with a route, if %s', async (_what, addresses, scheme) => {
      const server = await startRawServer(() => undefined);
      await server.close();
      const url = `${scheme}://target.test:${server.port}/`;
      const resolver = resolverOf({ 'target.test': addresses });
      expect(await check({ url }, { context: { resolver } })).toMatchObject({
        outcome: 'failure', remote_address: null,
        error: { type: 'connection_error', layer: 'connect', message: 'Connection refused' },
      });
    });

    test('misses the slot if there is no route to any address', async () => {
      const resolver = resolverOf({ 'target.test': { 4: ['255.255.255.255'], 6: [UNROUTABLE] } });
      expect(await check({ url: 'http://target.test/' }, { context: { resolver } })).toMatchObject({
        outcome: 'missed', missed: 'probe_unhealthy',
      });
    });

    test.each([
      ['ENOTFOUND', 'The name gone.test does not exist'],
      ['ESERVFAIL', 'The DNS servers failed for gone.test'],
      ['ETIMEOUT', 'The DNS servers did not respond for gone.test'],
    ])('fails as dns_error when the lookup ends with %s', async (code, message) => {
      const finding = await check(
        { url: 'http://gone.test/' }, { context: { resolver: resolverOf({ 'gone.test': code }) } },
      );
      expect(finding).toMatchObject({ outcome: 'failure', error: { type: 'dns_error', message } });
    });

    test('misses the slot on a machine without a name server', async () => {
      const finding = await check(
        { url: 'http://any.test/' }, { context: { resolver: resolverOf({ 'any.test': 'ECONNREFUSED' }) } },
      );
      expect(finding).toMatchObject({ outcome: 'missed', missed: 'probe_unhealthy' });
    });

    test('ends at the deadline if the lookup never ends', async () => {
      const finding = await check(
        { url: 'http://slow.test/' },
        { timeoutMs: 100, context: { resolver: resolverOf({ 'slow.test': 'HANG' }) } },
      );
      expect(finding).toMatchObject({
        outcome: 'failure',
        error: {
          type: 'dns_error', layer: 'dns', message: 'No DNS server responded within 100 ms for slow.test',
        },
      });
    });
  });

  describe('with forbidden addresses', () => {
    const allowAddress = (ip: string): boolean => ip === '127.0.0.1';

    test('does not connect: the slot is missed and the target not blamed', async () => {
      const server = await serve((socket) => socket.end(OK));
      expect(
        await check({ url: `http://127.0.0.2:${server.port}/` }, { context: { allowAddress } }),
      ).toMatchObject({ outcome: 'missed', missed: 'blocked_target' });
      const mixed = resolverOf({ 'mixed.test': { 4: ['127.0.0.1', '169.254.169.254'] } });
      expect(await check(
        { url: `http://mixed.test:${server.port}/` }, { context: { allowAddress, resolver: mixed } },
      ))
        .toMatchObject({ outcome: 'missed', missed: 'blocked_target' });
      expect(server.connections).toBe(0);
    });

    test('does not follow a redirect there', async () => {
      const inner = await serve((socket) => socket.end(OK), { host: '127.0.0.2' });
      const server = await serve(
        (socket) => socket.end(`HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:${inner.port}/\r\n\r\n`),
      );
      expect(
        await check({ url: `http://127.0.0.1:${server.port}/` }, { context: { allowAddress } }),
      ).toMatchObject({ outcome: 'missed', missed: 'blocked_target' });
      expect(inner.connections).toBe(0);
    });
  });

  test('fails for an invalid URL without throwing', async () => {
    expect(await check({ url: 'http://' })).toMatchObject({
      outcome: 'failure', error: { type: 'connection_error' },
    });
  });

  test('completes a thousand at once, each with its own response', async () => {
    const server = await serve(
      (socket, head) => socket.end(`HTTP/1.1 ${200 + Number(/GET \/(\d+)/.exec(head)?.[1]) % 90} X\r\n\r\n`),
    );
    const findings = await Promise.all(
      Array.from({ length: 1000 }, (_, at) => check({ url: `http://127.0.0.1:${server.port}/${at}` })),
    );
    expect(findings.map((finding) => finding.status_code)).toEqual(findings.map((_, at) => 200 + (at % 90)));
  });
});
