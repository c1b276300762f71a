import type { Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { drip } from '../../../helpers/drip.ts';
import { until } from '../../../helpers/until.ts';
import { check, closeServers, serve } from './http-fixture.ts';

afterEach(closeServers);

const PAGE = 'x'.repeat(5000);

/** A server that sends this and closes, or continues as in `then`. */
async function serveRaw(
  head: string, body: string | Buffer = '', then: (socket: Socket) => void = (socket) => socket.end(),
): Promise<string> {
  const { port } = await serve((socket) => {
    socket.write(`HTTP/1.1 ${head}\r\n\r\n`, 'latin1');
    socket.write(body);
    then(socket);
  });
  return `http://127.0.0.1:${port}/`;
}

describe('a response body', () => {
  test.each<[string, string, string | Buffer]>([
    ['of the announced length', '200 OK\r\nContent-Length: 5000', PAGE],
    ['of length 0', '200 OK\r\nContent-Length: 0', ''],
    ['with an equal length twice', '200 OK\r\nContent-Length: 2, 2', 'ok'],
    ['up to the end of the connection', '200 OK', PAGE],
    ['in chunks, with extensions and trailers', '200 OK\r\nTransfer-Encoding: chunked',
      '3;a=b\r\nabc\r\n00a\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n'],
    ['in chunks beside a length', '200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked', '2\r\nok\r\n0\r\n\r\n'],
    ['with a line end after it', '200 OK\r\nContent-Length: 2', 'ok\r\n'],
    ['in gzip', '200 OK\r\nContent-Encoding: gzip', gzipSync(PAGE)],
    ['in deflate', '200 OK\r\nContent-Encoding: deflate', deflateSync(PAGE)],
    ['in deflate without its header', '200 OK\r\nContent-Encoding: deflate', deflateRawSync(PAGE)],
    ['in Brotli', '200 OK\r\nContent-Encoding: br', brotliCompressSync(PAGE)],
    ['empty in gzip', '200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0', ''],
    ['in an encoding that nobody has to understand', '200 OK\r\nContent-Encoding: x-own', 'whatever'],
    ['in several encodings', '200 OK\r\nContent-Encoding: gzip, br', 'whatever'],
    ['absent after 204', '204 No Content\r\nContent-Length: 9', ''],
    ['absent after 304', '304 Not Modified\r\nContent-Length: 9', ''],
  ])('is accepted %s', async (_what, head, body) => {
    expect(await check({ url: await serveRaw(head, body), expected_ranges: [{ first: 200, last: 304 }] }))
      .toMatchObject({ outcome: 'success' });
  });

  test.each<[string, string, string | Buffer, RegExp]>([
    ['is shorter than announced', '200 OK\r\nContent-Length: 5001', PAGE, /^Expected 5001 bytes of body, got 5000$/],
    ['is longer than announced', '200 OK\r\nContent-Length: 4', 'hello', /^Expected 4 bytes of body, got more$/],
    ['has a length that is none', '200 OK\r\nContent-Length: -5', '', /^Content-Length is no number: -5$/],
    ['has two lengths', '200 OK\r\nContent-Length: 5\r\nContent-Length: 6', 'hello!',
      /^Content-Length is given as 5 and as 6$/],
    ['ends before its last chunk', '200 OK\r\nTransfer-Encoding: chunked', '5\r\nhello\r\n',
      /^Expected another chunk of the body after 5 bytes, got the end of the connection$/],
    ['ends within a chunk', '200 OK\r\nTransfer-Encoding: chunked', '5\r\nhel', /^Expected another chunk/],
    ['ends within its trailer', '200 OK\r\nTransfer-Encoding: chunked', '0\r\nX: 1\r\n', /^Expected another chunk/],
    ['has a chunk without a size', '200 OK\r\nTransfer-Encoding: chunked', 'hello\r\n',
      /^Expected a chunk size in the body, got something else$/],
    ['has a chunk longer than its size', '200 OK\r\nTransfer-Encoding: chunked', '4\r\nhello\r\n0\r\n\r\n',
      /^A chunk of the body is longer than its declared size$/],
    ['has a chunk of an impossible size', '200 OK\r\nTransfer-Encoding: chunked', 'fffffffffffffff\r\n',
      /^A chunk of the body declares an impossible size$/],
    ['goes on after its last chunk', '200 OK\r\nTransfer-Encoding: chunked', '1\r\na\r\n0\r\n\r\nmore',
      /^Expected 1 bytes of body, got more$/],
    ['is no gzip', '200 OK\r\nContent-Encoding: gzip', 'plain text', /^Expected a body in gzip, but decoding failed: /],
    ['is half of a gzip', '200 OK\r\nContent-Encoding: gzip', gzipSync(PAGE).subarray(0, 20),
      /gzip, but decoding failed: unexpected end of file$/],
    ['is a gzip with a wrong checksum', '200 OK\r\nContent-Encoding: x-gzip',
      Buffer.concat([gzipSync(PAGE).subarray(0, -8), Buffer.alloc(8)]), /gzip, but decoding failed: incorrect data check$/],
    ['is half of a Brotli', '200 OK\r\nContent-Encoding: br', brotliCompressSync(PAGE).subarray(0, 8),
      /Brotli, but decoding failed/],
  ])('fails the check when it %s', async (_what, head, body, message) => {
    expect(await check({ url: await serveRaw(head, body) })).toMatchObject({
      outcome: 'failure', status_code: 200,
      error: { type: 'connection_error', message: expect.stringMatching(message) as string },
    });
  });

  test.each([
    ['of the announced length', '200 OK\r\nContent-Length: 5000', /^Expected 5000 bytes of body, got 3$/],
    ['in chunks', '200 OK\r\nTransfer-Encoding: chunked', /^Expected another chunk of the body after 0 bytes/],
    ['up to the end of the connection', '200 OK', /^The connection was closed during the body, after 3 bytes$/],
  ])('fails the check when the connection is reset in a body %s', async (_what, head, message) => {
    const server = await serve((socket) => socket.write(`HTTP/1.1 ${head}\r\n\r\nabc`, () => {
      // The reset must not overtake the bytes.
      setTimeout(() => socket.resetAndDestroy(), 50);
    }));
    expect(await check({ url: `http://127.0.0.1:${server.port}/` })).toMatchObject({
      outcome: 'failure', error: { type: 'connection_error', message: expect.stringMatching(message) as string },
    });
  });

  test('fails the check if it drips past the deadline', async () => {
    const url = await serveRaw('200 OK\r\nContent-Length: 5000', 'abc', (socket) => void drip(socket, 'd', 5));
    const finding = await check({ url }, { timeoutMs: 200 });
    expect(finding).toMatchObject({ outcome: 'failure', status_code: 200, error: { type: 'timeout', layer: 'response' } });
    expect(finding.error?.message).toMatch(/^No response within 200 ms \(reading the body, \d+ bytes so far\)$/);
  });

  test('is part of the response time', async () => {
    const url = await serveRaw('200 OK', 'a', (socket) => void setTimeout(() => socket.end('b'), 60));
    const finding = await check({ url, slow_response_threshold_ms: 50 });
    expect(finding).toMatchObject({ outcome: 'success', degraded: true });
    expect(finding.timings?.transfer).toBeGreaterThan(40);
  });

  test('is not awaited after a HEAD request', async () => {
    const url = await serveRaw('200 OK\r\nContent-Length: 5000\r\nContent-Encoding: gzip', '', () => undefined);
    expect(await check({ url, method: 'HEAD' })).toMatchObject({ outcome: 'success' });
  });

  test('is irrelevant once the status is wrong, and does not delay the outcome', async () => {
    for (const length of ['Content-Length: 5000', 'Content-Length: x', 'Transfer-Encoding: chunked']) {
      const url = await serveRaw(`500 Oops\r\n${length}`, '!', () => undefined);
      expect(await check({ url })).toMatchObject({
        outcome: 'failure', error: { type: 'status_code', message: 'Expected 200-299, got 500' },
      });
    }
  });

  test('of an error page is read, so that its server sees no reset', async () => {
    const errors: unknown[] = [];
    let isEnded = false;
    const server = await serve((socket) => {
      socket.on('error', (error) => errors.push(error));
      socket.on('close', (hadError) => (isEnded = !hadError));
      socket.write('HTTP/1.1 500 Oops\r\nContent-Length: 20000\r\n\r\n');
      setTimeout(() => socket.end('x'.repeat(20_000)), 20);
    });
    expect(await check({ url: `http://127.0.0.1:${server.port}` })).toMatchObject({ outcome: 'failure' });
    await until(() => isEnded);
    expect(errors).toEqual([]);
  });
});

describe('evidence', () => {
  test('of failure and success has the addresses, the head and the start of the body', async () => {
    const head = '503 Busy\r\nRetry-After: 5\r\nContent-Length: 6000';
    const failed = await check({ url: await serveRaw(head, 'sorry'.repeat(1200)) });
    expect(failed.observed).toEqual({
      addresses: ['127.0.0.1'], head: `HTTP/1.1 ${head}\r\n\r\n`, body: 'sorry'.repeat(1200).slice(0, 4096),
    });
    const cut = await check({ url: await serveRaw('200 OK\r\nContent-Length: 9', 'abc') });
    expect(cut.observed).toMatchObject({ head: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', body: 'abc' });
    expect((await check({ url: await serveRaw('200 OK', 'fine') })).observed).toMatchObject({
      addresses: ['127.0.0.1'], head: 'HTTP/1.1 200 OK\r\n\r\n', body: 'fine',
    });
  });
});
