import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
beforeAll(async () => {
  const limits = {
    headersTimeoutMs: 1000, requestTimeoutMs: 2000, maxHeaderBytes: 16 * 1024, maxConnections: 5,
    maxConnectionsOfAddress: 5, drainTimeoutMs: 500,
  };
  app = await makeApp({ limits });
});
afterAll(() => app.close());

/** Everything the server sends until it closes. */
function exchange(text: string, options: { slowly?: boolean } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.write(text));
    const drip = options.slowly === true ? setInterval(() => socket.write('a'), 100) : undefined;
    socket.setTimeout(120_000, () => reject(new Error(`no end; received: ${received}`)));
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(drip);
      resolve(received);
    });
  });
}

function parse(response: string): { status: number; headers: Map<string, string>; body: unknown } {
  const [head = '', body = ''] = response.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Map(fields.map(
    (field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 2)],
  ));
  return { status: Number(line.split(' ')[1]), headers, body: JSON.parse(body) };
}

describe('an invalid HTTP request:', () => {
  test.each([
    ['text that is not HTTP', 'hello\r\n\r\n', 400],
    ['a request without a host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    [
      'both a length and chunks',
      'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'two lengths',
      'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello', 400,
    ],
    ['a negative length', 'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
    [
      'an encoding after chunked',
      'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n', 400,
    ],
    ['a space in a header name', 'GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n', 400],
    ['a bare line feed in a value', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\nY: b\r\n\r\n', 400],
    ['headers above 16 kB', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a path above 16 kB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ])('%s is rejected, and the connection closed', async (_name, text, status) => {
    const response = parse(await exchange(text));
    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ success: false, error: { code: 'BAD_REQUEST' } });
    expect(response.headers.get('connection')).toBe('close');
    for (const name of ['x-request-id', 'x-ratelimit-limit', 'x-content-type-options']) {
      expect(response.headers.has(name), name).toBe(true);
    }
  });

  test('an invalid chunk ends the connection without reaching a route', async () => {
    const response = await exchange(
      'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n',
    );
    expect(response.startsWith('HTTP/1.1 400 ')).toBe(true);
    expect(response).not.toContain('HTTP/1.1 200');
  });

  test('a request smuggled behind another is not executed', async () => {
    const smuggled = 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n';
    const response = await exchange(
      `POST /api/auth/login HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    );
    expect(response.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
    expect(response).toContain('JSON_PARSE_ERROR');
  });
});

describe('a slow request', () => {
  test('whose headers never end is aborted', async () => {
    expect(parse(await exchange('GET /healthz HTTP/1.1\r\nHost: a\r\nX: ', { slowly: true })).status).toBe(
      408,
    );
  });

  test('whose body never ends is aborted', async () => {
    const response = await exchange(
      'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{',
      { slowly: true },
    );
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
  });
});

test('connections above the limit are refused, and accepted again afterwards', async () => {
  const port = Number(new URL(app.url).port);
  const sockets: Socket[] = [];
  // One after the other: near the limit, a connection without a request makes room for the next.
  while (sockets.length < 5) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    // Its body is awaited once Node says 100 Continue.
    const isAwaited = new Promise((resolve) => socket.once('data', resolve));
    socket.write('POST /api/auth/login HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n');
    await isAwaited;
  }
  const surplus = connect(port, '127.0.0.1');
  surplus.on('error', () => undefined).resume();
  await new Promise((resolve) => surplus.once('close', resolve));
  for (const socket of sockets) socket.destroy();
  await until(async () => (await exchange(
    'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  )).startsWith('HTTP/1.1 200'));
});
