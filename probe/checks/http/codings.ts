import {
  brotliDecompressSync, constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw,
  gunzipSync, inflateRawSync, inflateSync, type ZlibOptions,
} from 'node:zlib';
import type { Transform } from 'node:stream';

/** A compression format of bodies. */
export interface Coding {
  /** Shown to users. */
  name: string;
  /** Preprocesses the bytes; required before the functions below. */
  prepare: (bytes: Buffer) => Buffer;
  open: (options: Options) => Transform;
  decodeSync: (bytes: Buffer, options: Options) => Buffer;
  /** Values of `finishFlush` for complete and truncated bodies. */
  finish: { whole: number; partial: number };
}

type Options = Pick<ZlibOptions, 'chunkSize' | 'finishFlush' | 'maxOutputLength'>;

const unchanged = (bytes: Buffer): Buffer => bytes;
const finish = { whole: constants.Z_FINISH, partial: constants.Z_SYNC_FLUSH };

const GZIP: Coding = { name: 'gzip', prepare: unchanged, open: createGunzip, decodeSync: gunzipSync, finish };
const ZLIB: Coding = { name: 'deflate', prepare: unchanged, open: createInflate, decodeSync: inflateSync, finish };
const RAW: Coding = {
  name: 'deflate', prepare: unchanged, open: createInflateRaw, decodeSync: inflateRawSync, finish,
};
const BROTLI: Coding = {
  name: 'Brotli', prepare: withNarrowWindow, open: createBrotliDecompress, decodeSync: brotliDecompressSync,
  finish: { whole: constants.BROTLI_OPERATION_FINISH, partial: constants.BROTLI_OPERATION_FLUSH },
};

const CODINGS: ReadonlyMap<string, Coding> =
  new Map([['gzip', GZIP], ['x-gzip', GZIP], ['deflate', ZLIB], ['br', BROTLI]]);

/**
 * The coding for a Content-Encoding (lower case); null if not every browser supports it. `bytes` is the start
 * of the body, if known.
 */
export function codingOf(encoding: string, bytes?: Buffer): Coding | null {
  const coding = CODINGS.get(encoding) ?? null;
  // Many servers omit the zlib header required by RFC 9110, 8.4.1.2; every browser copes.
  const isRaw = coding === ZLIB && bytes !== undefined && ((bytes[0] ?? 0) & 0x0f) !== 8;
  return isRaw ? RAW : coding;
}

/**
 * Rewrites a Brotli stream's window from 22–24 bits to 21 (RFC 7932, 9.1) and returns it. Brotli decodes a
 * whole window, up to 16 MB, before it outputs anything. The first 2 MB can't refer further back, so they
 * decode identically.
 */
function withNarrowWindow(stream: Buffer): Buffer {
  const first = stream[0] as number;
  const isWider = (first & 1) === 1 && ((first >> 1) & 7) > 4;
  if (isWider) stream[0] = (first & 0xf0) | 0b1001;
  return stream;
}
