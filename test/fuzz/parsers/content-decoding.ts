import assert from 'node:assert/strict';
import {
  brotliCompressSync, brotliDecompressSync, constants, deflateRawSync, deflateSync, gunzipSync, gzipSync,
  inflateRawSync, inflateSync,
} from 'node:zlib';
import type * as DecodeBody from '../../../probe/checks/http/decode-body.ts';
import type * as ExcerptText from '../../../probe/checks/http/excerpt-text.ts';
import { fuzzedParser, piecesOf } from './fuzzed-parser.ts';

type Decoder = DecodeBody.BodyDecoder;

/** The first byte of an input selects one. */
const ENCODINGS = ['gzip', 'deflate', 'br', 'x-gzip', 'zstd', 'gzip, gzip'];
const [GZIP, DEFLATE, BROTLI, OTHER, TWICE] = [0, 1, 2, 4, 5];
const TEXT = Buffer.from('<html><head><meta charset="utf-8"></head><body>Grüße, 日本語!</body></html>'.repeat(40));
const BOMB = Buffer.alloc(3_000_000);
const WIDE_WINDOW = { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } };
const MAX_BYTES = 1_048_576;

const seeds: readonly [number, Buffer][] = [
  [GZIP, gzipSync(TEXT)], [GZIP, gzipSync(TEXT).subarray(0, 90)], [GZIP, gzipSync('')],
  [GZIP, Buffer.concat([gzipSync('one'), gzipSync('two')])], [GZIP, gzipSync(BOMB)],
  [DEFLATE, deflateSync(TEXT)], [DEFLATE, deflateRawSync(TEXT)], [DEFLATE, deflateSync(TEXT, { level: 0 })],
  [BROTLI, brotliCompressSync(TEXT)], [BROTLI, brotliCompressSync(TEXT, WIDE_WINDOW).subarray(0, 70)],
  [BROTLI, brotliCompressSync(BOMB, WIDE_WINDOW)], [BROTLI, brotliCompressSync('short', WIDE_WINDOW)],
  [OTHER, Buffer.from('28b52ffd2005290000', 'hex')], [TWICE, gzipSync(gzipSync(TEXT))],
];

/** Node's one-shot decoding; null if it fails. */
function oracle(encoding: string, bytes: Buffer): Buffer | null | 'large' {
  const isZlib = ((bytes[0] ?? 0) & 0x0f) === 8;
  const decode = { gzip: gunzipSync, 'x-gzip': gunzipSync, br: brotliDecompressSync }[encoding]
    ?? (isZlib ? inflateSync : inflateRawSync);
  try {
    return decode(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'large' : null;
  }
}

/** One per loaded copy, because a decoder reuses megabytes of memory. */
const decoders = new WeakMap<object, Decoder>();

function decoderOf(exports: typeof DecodeBody): Decoder {
  const decoder = decoders.get(exports) ?? new exports.BodyDecoder();
  decoders.set(exports, decoder);
  return decoder;
}

/** A whole body equals Node's one-shot decoding, in any pieces; one that is too large yields its start. */
export const bodyDecoding = fuzzedParser<typeof DecodeBody>({
  name: 'body-decoding', entry: 'probe/checks/http/decode-body.ts',
  seeds: seeds.map(([encoding, bytes]) => Buffer.concat([Buffer.of(encoding), bytes])),
  feed: async (exports, input, random) => {
    const encodings = (ENCODINGS[(input[0] ?? 0) % ENCODINGS.length] as string).split(', ');
    const bytes = input.subarray(1);
    const decode = (pieces: readonly Buffer[], isCut: boolean): Promise<DecodeBody.Decoded> =>
      decoderOf(exports).decode({ pieces, encodings, isCut }, (decoded) => (
        decoded.ok ? { ...decoded, bytes: Buffer.from(decoded.bytes) } : decoded
      ));
    const whole = await decode(bytes.length === 0 ? [] : [bytes], false);
    assert.deepEqual(await decode(piecesOf(bytes, random, Math.max(64, bytes.length / 20)), false), whole);
    const start = await decode(bytes.length === 0 ? [] : [bytes], true);
    if (!exports.isDecodable(encodings)) return assert.ok(bytes.length === 0 || (!whole.ok && !start.ok));
    if (!whole.ok) assert.ok(whole.problem.length < 200);
    if (bytes.length === 0) return;
    const expected = oracle(encodings[0] as string, bytes);
    if (expected === null) return assert.ok(!whole.ok || whole.bytes.length === MAX_BYTES);
    assert.ok(whole.ok && start.ok);
    if (expected === 'large') return assert.equal(whole.bytes.length, MAX_BYTES);
    assert.ok(whole.bytes.equals(expected) && start.bytes.equals(expected));
  },
});

/** A short text or none, or the full text of a body that Node decodes whole. */
export const excerptText = fuzzedParser<typeof ExcerptText>({
  name: 'excerpt-text', entry: 'probe/checks/http/excerpt-text.ts',
  seeds: [
    ...seeds.map(([encoding, bytes]) => (
      `HTTP/1.1 500 Oops\r\nContent-Encoding: ${ENCODINGS[encoding]}\r\n\r\n${bytes.toString('latin1')}`
    )),
    'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-16le\r\n\r\na\0b\0',
    'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset="shift_jis"\r\ncontent-encoding:identity\r\n\r\n\x93\xfa',
    `HTTP/1.1 200 OK\r\nContent-Type: a;charset=${' '.repeat(500)}\r\n\r\nGr\xfc\xdfe`,
  ],
  feed: ({ excerptText: textOf }, bytes) => {
    const text = bytes.toString('latin1');
    const end = text.indexOf('\r\n\r\n') + 4;
    const [head, body] = [end < 4 ? '' : text.slice(0, end), end < 4 ? text : text.slice(end)];
    const excerpt = textOf(head, body.slice(0, 4096));
    assert.ok(excerpt === null || excerpt.length <= 4096);
    if (/encoding/i.test(head)) return;
    assert.notEqual(excerpt, null);
    if (!/charset|[^\0-\x7f]/i.test(text)) assert.equal(excerpt, body.slice(0, 4096));
  },
});
