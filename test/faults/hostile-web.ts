import type { Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { drip } from '../helpers/drip.ts';

export const CHUNK = Buffer.alloc(65_536, 'a');
const BOMB_BYTES = 64 * 1024 * 1024;
const MB = 1024 * 1024;

/** Writes `bytes` repeatedly, as fast as the peer reads, until the connection closes. */
export function pour(socket: Socket, bytes: Buffer | string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

const GZIP_BOMB = gzipSync(Buffer.alloc(BOMB_BYTES));
const NESTED_BOMB = gzipSync(GZIP_BOMB);
/** With the maximum window, which is filled before there is any output. */
const BROTLI_BOMB = brotliCompressSync(Buffer.alloc(BOMB_BYTES), {
  params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 5 },
});
/** Capital letters beyond Latin-1, which must be converted to lowercase. */
const TEXT_BOMB = gzipSync('ŽĐ'.repeat(MB / 4));
/** JSON within the size limit, with as many values as fit. */
const JSON_BOMBS = [
  `[${'{},'.repeat(MB / 3 - 2)}0]`,
  `{${Array.from({ length: 90_000 }, (_, at) => `"${at.toString(36)}":9`).join(',')}}`,
  `[${'1.5,'.repeat(MB / 4 - 2)}0]`,
].map((text) => gzipSync(text));

/** The responses of a hostile web server, by path. */
export const WEB_ATTACKS: Readonly<Record<string, (socket: Socket) => void>> = {
  '/endless-body': (socket) => {
    socket.write(`${OK}\r\n`);
    pour(socket, CHUNK);
  },
  '/endless-chunks': (socket) => {
    socket.write(CHUNKED);
    pour(socket, Buffer.concat([Buffer.from('10000\r\n'), CHUNK, Buffer.from('\r\n')]));
  },
  '/tiny-chunks': (socket) => {
    socket.write(CHUNKED);
    pour(socket, '1\r\na\r\n'.repeat(5000));
  },
  '/huge-length': (socket) => {
    socket.write(`${OK}Content-Length: 1099511627776\r\n\r\n`);
    pour(socket, CHUNK);
  },
  '/slow-large-body': (socket) => {
    socket.write(`${OK}Content-Length: 262143\r\n\r\n`);
    socket.write(Buffer.alloc(262_000, 'a'));
    drip(socket, 'a', 200);
  },
  '/gzip-bomb': (socket) => compressed(socket, 'gzip', GZIP_BOMB),
  '/brotli-bomb': (socket) => compressed(socket, 'br', BROTLI_BOMB),
  '/nested-bomb': (socket) => compressed(socket, 'gzip, gzip', NESTED_BOMB),
  '/text-bomb': (socket) => compressed(socket, 'gzip', TEXT_BOMB),
  ...Object.fromEntries(JSON_BOMBS.map(
    (bomb, at) => [`/json-bomb-${at}`, (socket: Socket) => compressed(socket, 'gzip', bomb)],
  )),
  '/slow-head': (socket) => void drip(socket, `${OK}X-Slow: a`, 200),
  '/slow-body': (socket) => void drip(socket, `${OK}Content-Length: 100000\r\n\r\na`, 200),
  '/endless-head': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX: ');
    pour(socket, CHUNK);
  },
  '/cookies': (socket) => {
    socket.write(OK);
    pour(socket, 'Set-Cookie: a=b\r\n'.repeat(4000));
  },
  '/interim': (socket) => pour(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000)),
  '/trailers': (socket) => {
    socket.write(`${CHUNKED}0\r\n`);
    pour(socket, 'X-Trailer: a\r\n'.repeat(1000));
  },
  '/redirects': (socket) => {
    socket.write(`HTTP/1.1 307 Round\r\nLocation: /redirects?${'a'.repeat(30_000)}\r\n\r\n`);
    pour(socket, CHUNK);
  },
  '/binary': (socket) => pour(socket, Buffer.alloc(65_536, 0)),
};

function compressed(socket: Socket, encoding: string, body: Buffer): void {
  socket.write(`${OK}Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`);
  socket.end(body);
}
