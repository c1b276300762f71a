import {
  brotliDecompressSync, constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw,
  gunzipSync, inflateRawSync, inflateSync, type ZlibOptions,
} from 'node:zlib';
import type { Transform } from 'node:stream';

/** One way in which bodies are compressed. */
export interface Coding {
  /** For people. */
  name: string;
  /** Changes the bytes for the two below, which must not get them otherwise. */
  prepare: (bytes: Buffer) => Buffer;
  open: (options: Options) => Transform;
  decodeSync: (bytes: Buffer, options: Options) => Buffer;
  /** Values of `finishFlush`, for a body that is whole and for the beginning of one. */
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
 * The coding that Content-Encoding (lower case) names; null for one that not every browser knows. `bytes` is
 * the beginning of the body, where that is known.
 */
export function codingOf(encoding: string, bytes?: Buffer): Coding | null {
  const coding = CODINGS.get(encoding) ?? null;
  // Many servers leave out the zlib header that RFC 9110, 8.4.1.2 asks for, and every browser copes.
  const isRaw = coding === ZLIB && bytes !== undefined && ((bytes[0] ?? 0) & 0x0f) !== 8;
  return isRaw ? RAW : coding;
}

/**
 * Changes a Brotli stream so that its window is at most 2 MB, and returns it. Brotli decodes a whole window,
 * up to 16 MB, before it gives anything away. What lies in the first 2 MB cannot refer to more than that, so
 * it is the same in both. Windows of 22 to 24 bits become one of 21 (RFC 7932, 9.1).
 */
function withNarrowWindow(stream: Buffer): Buffer {
  const first = stream[0] as number;
  const isWider = (first & 1) === 1 && ((first >> 1) & 7) > 4;
  if (isWider) stream[0] = (first & 0xf0) | 0b1001;
  return stream;
}
