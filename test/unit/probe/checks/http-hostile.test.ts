import type { Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { BodyDecoder, MAX_DECODED_BYTES } from '../../../../probe/checks/http/decode-body.ts';
import { HeldBytes } from '../../../../probe/checks/http/held-bytes.ts';
import { drip } from '../../../helpers/drip.ts';
import { until } from '../../../helpers/until.ts';
import { buildHttpSpec } from '../build.ts';
import { check, checkKeywords, closeServers, keywordSpec, registryWith, serve } from './http-fixture.ts';

afterEach(closeServers);

const MB = 1024 ** 2;
const FILLER = Buffer.alloc(65_536, 0x61);

/** Writes `piece` until the connection closes; counts what it wrote. */
function pour(socket: Socket, piece: Buffer | string, onWritten: (bytes: number) => void = () => undefined): void {
  const bytes = Buffer.from(piece);
  const more = (): void => {
    while (!socket.destroyed) {
      onWritten(bytes.length);
      if (!socket.write(bytes)) return void socket.once('drain', more);
    }
  };
  more();
}

/** 8 MB; the gzip one has eight such members. */
const BLANK = Buffer.alloc(8 * MB, 0x20);
const BOMBS = {
  gzip: Buffer.concat(Array<Buffer>(8).fill(gzipSync(BLANK))),
  br: brotliCompressSync(BLANK, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
};

/** Responses of a hostile target, and the expected outcome of each check. */
const ATTACKS: [string, (socket: Socket) => void, http: string, keyword: string][] = [
  ['an endless body', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    pour(socket, FILLER);
  }, 'success', 'keyword_missing'],
  ['an endless chunked body', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    pour(socket, Buffer.concat([Buffer.from('10000\r\n'), FILLER, Buffer.from('\r\n')]));
  }, 'success', 'keyword_missing'],
  ['a body of one terabyte in chunks of one byte', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    pour(socket, '1\r\na\r\n'.repeat(5000));
  }, 'success', 'keyword_missing'],
  ['a length of one terabyte', (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1024 ** 4}\r\n\r\n`);
    pour(socket, FILLER);
  }, 'success', 'keyword_missing'],
  ['a chunk of 8 exabytes', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n');
    pour(socket, FILLER);
  }, 'connection_error', 'connection_error'],
  ['an endless chunk extension', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;');
    pour(socket, FILLER);
  }, 'connection_error', 'connection_error'],
  ['endless trailers', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n');
    pour(socket, 'X-Trailer: a\r\n'.repeat(1000));
  }, 'connection_error', 'connection_error'],
  ...(['gzip', 'br'] as const).map((encoding): (typeof ATTACKS)[number] => [
    `blanks without end in ${BOMBS[encoding].length} bytes of ${encoding}`,
    (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\n\r\n`);
      socket.end(BOMBS[encoding]);
    }, 'success', 'keyword_missing',
  ]),
  ['a bomb in a bomb', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\n');
    socket.end(gzipSync(BOMBS.gzip));
  }, 'success', 'connection_error'],
  ['zstd', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n');
    pour(socket, FILLER);
  }, 'success', 'connection_error'],
  ['one header of a megabyte', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX: ');
    pour(socket, FILLER);
  }, 'connection_error', 'connection_error'],
  ['a million cookies', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    pour(socket, 'Set-Cookie: a=b\r\n'.repeat(1000));
  }, 'connection_error', 'connection_error'],
  ['endless interim responses', (socket) => pour(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000)),
    'connection_error', 'connection_error'],
  ['a head that drips', (socket) => void drip(socket, 'HTTP/1.1 200 OK\r\nX: a', 5), 'timeout', 'timeout'],
  ['a body that drips', (socket) => void drip(socket, 'HTTP/1.1 200 OK\r\n\r\na', 5), 'timeout', 'timeout'],
  ['silence after the head', (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n'), 'timeout', 'timeout'],
  ['an endless error page', (socket) => {
    socket.write('HTTP/1.1 500 Oops\r\n\r\n');
    pour(socket, FILLER);
  }, 'status_code', 'status_code'],
];

describe('a hostile target', () => {
  test.each(ATTACKS)('is cut off if it sends %s', async (_what, behave, http, keyword) => {
    let open = 0;
    const server = await serve((socket) => {
      open += 1;
      socket.on('close', () => (open -= 1));
      behave(socket);
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const timeoutMs = http === 'timeout' ? 400 : 60_000;
    const findings = [await check({ url }, { timeoutMs }), await checkKeywords(['needle'], { url }, { timeoutMs })];
    expect(findings.map(({ outcome, error }) => error?.type ?? outcome)).toEqual([http, keyword]);
    await until(() => open === 0, { what: 'the connections are closed' });
  });

  test('costs little memory, whatever many of them send concurrently', async () => {
    const registry = registryWith();
    const checkAll = (urls: string[]) => Promise.all(urls.flatMap((url) => [
      registry.run(buildHttpSpec({ url }), 1000), registry.run(keywordSpec(['needle'], { url }), 1000),
    ]));
    const plain = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    await checkAll(Array<string>(ATTACKS.length).fill(`http://127.0.0.1:${plain.port}/`));
    const servers = await Promise.all(ATTACKS.map(([, behave]) => serve(behave)));
    const before = process.memoryUsage.rss();
    let maxRss = before;
    const watch = setInterval(() => (maxRss = Math.max(maxRss, process.memoryUsage.rss())), 20);
    for (let turn = 0; turn < 2; turn += 1) await checkAll(servers.map(({ port }) => `http://127.0.0.1:${port}/`));
    clearInterval(watch);
    expect((maxRss - before) / MB).toBeLessThan(64);
  });

  test('gains nothing from a page and keywords designed for a slow search', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n');
      socket.end(gzipSync(Buffer.alloc(MB - 1, 0x61)));
    });
    const keywords = Array.from({ length: 20 }, (_, at) => `${'b'.repeat(at + 1)}${'a'.repeat(499 - at)}`);
    expect(await checkKeywords(keywords, { url: `http://127.0.0.1:${server.port}/` })).toMatchObject({
      outcome: 'failure', error: { type: 'keyword_missing' },
    });
  });
});

describe('captured response data', () => {
  test('is limited for all checks, and the largest holding is evicted', () => {
    const held = new HeldBytes(100_000);
    const evicted: string[] = [];
    const open = (name: string) => held.open(() => evicted.push(name));
    const [small, large, other] = [open('small'), open('large'), open('other')];
    small.grow(4096);
    expect(held.total).toBe(0);
    small.grow(10_000);
    large.grow(70_000);
    other.grow(20_000);
    expect([held.total, evicted]).toEqual([91_808, []]);
    other.grow(20_000);
    expect([held.total, evicted]).toEqual([45_904, ['large']]);
    other.end();
    small.grow(70_000);
    expect([held.total, evicted]).toEqual([35_904, ['large', 'small']]);
    other.release();
    expect(held.total).toBe(0);
  });

  test('makes evicted checks missed as overload without blaming their targets', async () => {
    const [SIZE, COUNT] = [262_000, 80];
    let responseCount = 0;
    const server = await serve((socket, head) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${SIZE}\r\n\r\n`);
      const first = Buffer.alloc(head.startsWith('GET /small') ? 10_000 : SIZE - 1000);
      socket.write(first, () => (responseCount += 1));
      void until(() => responseCount === COUNT).then(() => socket.end(Buffer.alloc(SIZE - first.length)));
    });
    const registry = registryWith();
    const findings = await Promise.all(Array.from({ length: COUNT }, (_, at) => {
      const url = `http://127.0.0.1:${server.port}/${at < 2 ? 'small' : 'large'}`;
      return registry.run(keywordSpec(['needle'], { url }), 60_000);
    }));
    const named = findings.map(({ missed, error }) => missed ?? error?.type);
    expect(named.slice(0, 2)).toEqual(['keyword_missing', 'keyword_missing']);
    expect(new Set(named.slice(2))).toEqual(new Set(['overload', 'keyword_missing']));
    expect(named.filter((name) => name === 'overload').length).toBeLessThan(COUNT / 2);
  });
});

describe('body decoding', () => {
  test('yields the start of a Brotli stream with any window', async () => {
    const page = Buffer.from(Array.from({ length: 250_000 }, (_, at) => `line ${at % 3001} of ${at}\n`).join(''));
    for (const bits of [16, 18, 21, 22, 23, 24]) {
      const stream = brotliCompressSync(page, {
        params: { [constants.BROTLI_PARAM_LGWIN]: bits, [constants.BROTLI_PARAM_QUALITY]: 2 },
      });
      const isSame = await new BodyDecoder().decode(
        { pieces: [stream], encodings: ['br'], isCut: false },
        (decoded) => decoded.ok && decoded.bytes.equals(page.subarray(0, MAX_DECODED_BYTES)),
      );
      expect({ bits, isSame }).toEqual({ bits, isSame: true });
    }
  });

  test('continues with the next body whatever happened to the previous one', async () => {
    const decoder = new BodyDecoder();
    const bodies = [gzipSync('a'), Buffer.from('no gzip'), BOMBS.gzip, gzipSync('b'), BOMBS.gzip, gzipSync('c')];
    const decoded = await Promise.all(bodies.map((body) =>
      decoder.decode(
        { pieces: [body.subarray(0, 2), body.subarray(2)], encodings: ['gzip'], isCut: false },
        (one) => (one.ok ? one.bytes.subarray(0, 1).toString() + one.bytes.length : one.problem),
      )));
    expect(decoded).toEqual(['a1', expect.stringContaining('incorrect header'), ' 1048576', 'b1', ' 1048576', 'c1']);
  });
});
