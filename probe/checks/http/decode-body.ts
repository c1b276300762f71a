import {
  constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw,
  type BrotliDecompress, type Gunzip, type Inflate, type InflateRaw,
} from 'node:zlib';

/** Of a body that grows without measure when it is decoded, so much is decoded, bytes. */
export const MAX_DECODED_BYTES = 1_048_576;
const CHUNK_BYTES = 65_536;
/** Bodies decoded at once. Each takes a thread that the spool's fsync needs too. */
const MAX_AT_ONCE = 2;

export type Decoded =
  /** `isWhole`: the body was not cut at a limit. */
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

/** Decodes bodies, a few at a time and each up to MAX_DECODED_BYTES. */
export class BodyDecoder {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** Never rejects. A body without any bytes is empty in every encoding. */
  async decode(body: EncodedBody): Promise<Decoded> {
    const raw = body.pieces.length === 1 ? (body.pieces[0] as Buffer) : Buffer.concat(body.pieces);
    const [encoding, ...others] = body.encodings;
    if (encoding === undefined || raw.length === 0) return { ok: true, bytes: raw, isWhole: !body.isCut };
    if (!isDecodable(body.encodings)) {
      const named = body.encodings.join(', ').slice(0, 100);
      const expected = others.length > 0 ? 'one encoding of the body' : 'gzip, deflate or br';
      return { ok: false, problem: `Expected ${expected}, got ${named}` };
    }
    if (this.#running >= MAX_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    const decoded = await inflate(raw, encoding, body.isCut);
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
    return decoded;
  }
}

function inflate(raw: Buffer, encoding: string, isCut: boolean): Promise<Decoded> {
  return new Promise((resolve) => {
    const stream = streamFor(raw, encoding, isCut);
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (decoded: Decoded): void => {
      stream.destroy();
      resolve(decoded);
    };
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < MAX_DECODED_BYTES) return;
      done({ ok: true, bytes: Buffer.concat(chunks, MAX_DECODED_BYTES), isWhole: false });
    });
    stream.on('end', () => done({ ok: true, bytes: Buffer.concat(chunks), isWhole: !isCut }));
    stream.on('error', (error) => {
      done({ ok: false, problem: `Expected a body in ${NAMES[encoding]}, but decoding failed: ${error.message}` });
    });
    stream.end(raw);
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
