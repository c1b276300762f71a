import {
  constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw,
  type BrotliDecompress, type Gunzip, type Inflate, type InflateRaw,
} from 'node:zlib';
import { MAX_BODY_BYTES } from './response-reader.ts';

/** Of a body that grows without measure when it is decoded, so much is decoded, bytes. */
export const MAX_DECODED_BYTES = 1_048_576;
const CHUNK_BYTES = 65_536;

export type Decoded =
  /** `isWhole`: the body was not cut at a limit. The bytes are overwritten afterwards. */
  | { ok: true; bytes: Buffer; isWhole: boolean }
  | { ok: false; problem: string };

export interface EncodedBody {
  pieces: readonly Buffer[];
  /** In the order in which they were applied. */
  encodings: readonly string[];
  /** Whether there is more of the body than the pieces. */
  isCut: boolean;
}

type Stream = Gunzip | Inflate | InflateRaw | BrotliDecompress;

const NAMES: Readonly<Record<string, string>> = Object.freeze({
  gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'Brotli',
});

/** Whether a body with these encodings can be decoded: one of those that every browser knows, or none. */
export function isDecodable(encodings: readonly string[]): boolean {
  return encodings.length === 0 || (encodings.length === 1 && Object.hasOwn(NAMES, encodings[0] as string));
}

/**
 * Decodes bodies, each up to MAX_DECODED_BYTES and one at a time: each takes a thread which the spool's fsync
 * needs too. Memory for what is decoded is used again: V8 would let tens of megabytes of it pile up.
 */
export class BodyDecoder {
  readonly #joined = Buffer.allocUnsafeSlow(MAX_BODY_BYTES);
  readonly #decoded = Buffer.allocUnsafeSlow(MAX_DECODED_BYTES);
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  /**
   * What `use` returns for the decoded body. Rejects only if `use` throws. A body without any bytes is empty
   * in every encoding.
   */
  async decode<T>(body: EncodedBody, use: (decoded: Decoded) => T): Promise<T> {
    const [encoding, ...others] = body.encodings;
    if (encoding === undefined || body.pieces.length === 0) {
      return use({ ok: true, bytes: this.#join(body.pieces), isWhole: !body.isCut });
    }
    if (!isDecodable(body.encodings)) {
      const named = body.encodings.join(', ').slice(0, 100);
      const expected = others.length > 0 ? 'one encoding of the body' : 'gzip, deflate or br';
      return use({ ok: false, problem: `Expected ${expected}, got ${named}` });
    }
    if (this.#isBusy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isBusy = true;
    try {
      return use(await inflate(body, encoding, this.#decoded));
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#isBusy = false;
    }
  }

  #join(pieces: readonly Buffer[]): Buffer {
    if (pieces.length === 1) return pieces[0] as Buffer;
    let size = 0;
    for (const piece of pieces) size += piece.copy(this.#joined, size);
    return this.#joined.subarray(0, size);
  }
}

function inflate({ pieces, isCut }: EncodedBody, encoding: string, decoded: Buffer): Promise<Decoded> {
  return new Promise((resolve) => {
    const raw = Buffer.concat(pieces);
    const stream = streamFor(raw, encoding, isCut);
    let size = 0;
    const done = (outcome: Decoded): void => {
      stream.destroy();
      resolve(outcome);
    };
    stream.on('data', (chunk: Buffer) => {
      size += chunk.copy(decoded, size);
      if (size === decoded.length) done({ ok: true, bytes: decoded, isWhole: false });
    });
    stream.on('end', () => done({ ok: true, bytes: decoded.subarray(0, size), isWhole: !isCut }));
    stream.on('error', (error) => {
      done({ ok: false, problem: `Expected a body in ${NAMES[encoding]}, but decoding failed: ${error.message}` });
    });
    stream.end(encoding === 'br' ? withNarrowWindow(raw) : raw);
  });
}

function streamFor(raw: Buffer, encoding: string, isCut: boolean): Stream {
  const { Z_SYNC_FLUSH, Z_FINISH, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH } = constants;
  if (encoding === 'br') {
    const finishFlush = isCut ? BROTLI_OPERATION_FLUSH : BROTLI_OPERATION_FINISH;
    return createBrotliDecompress({ chunkSize: CHUNK_BYTES, finishFlush });
  }
  const options = { chunkSize: CHUNK_BYTES, finishFlush: isCut ? Z_SYNC_FLUSH : Z_FINISH };
  if (encoding !== 'deflate') return createGunzip(options);
  // Many servers leave out the zlib header that RFC 9110, 8.4.1.2 asks for, and every browser copes.
  const hasHeader = ((raw[0] as number) & 0x0f) === 8;
  return hasHeader ? createInflate(options) : createInflateRaw(options);
}

/**
 * Changes a Brotli stream so that its window is at most 2 MB, and returns it. Brotli decodes a whole window,
 * up to 16 MB, before it gives anything away. What lies in the first 2 MB cannot refer to more than that, so
 * it is the same in both. Windows of 22 to 24 bits become one of 21 (RFC 7932, 9.1).
 */
export function withNarrowWindow(stream: Buffer): Buffer {
  const first = stream[0] as number;
  const isWider = (first & 1) === 1 && ((first >> 1) & 7) > 4;
  if (isWider) stream[0] = (first & 0xf0) | 0b1001;
  return stream;
}
