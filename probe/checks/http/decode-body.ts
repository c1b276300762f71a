import { codingOf, type Coding } from './codings.ts';
import { MAX_BODY_BYTES } from './response-reader.ts';

/** Limit on decoded bytes, against decompression bombs. */
export const MAX_DECODED_BYTES = 1_048_576;
const CHUNK_BYTES = 65_536;

export type Decoded =
  /** `isWhole`: the body wasn't truncated at a limit. The bytes are overwritten afterwards. */
  | { ok: true; bytes: Buffer; isWhole: boolean }
  | { ok: false; problem: string };

export interface EncodedBody {
  pieces: readonly Buffer[];
  /** In the order they were applied. */
  encodings: readonly string[];
  /** Whether the body has more than these pieces. */
  isCut: boolean;
}

/** Whether a body with these encodings can be decoded: at most one, supported by every browser. */
export function isDecodable(encodings: readonly string[]): boolean {
  return encodings.length === 0 || (encodings.length === 1 && codingOf(encodings[0] as string) !== null);
}

/**
 * Decodes bodies one at a time, each up to MAX_DECODED_BYTES: each takes a thread that the spool's fsync
 * needs too. Output buffers are reused because V8 would let tens of megabytes accumulate.
 */
export class BodyDecoder {
  readonly #joined = Buffer.allocUnsafeSlow(MAX_BODY_BYTES);
  readonly #decoded = Buffer.allocUnsafeSlow(MAX_DECODED_BYTES);
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  /**
   * Passes the decoded body to `use` and returns its result. Rejects only if `use` throws. A body without
   * bytes is empty in every encoding.
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
    const { name, open, prepare, finish } = codingOf(encoding, raw) as Coding;
    const stream = open({ chunkSize: CHUNK_BYTES, finishFlush: isCut ? finish.partial : finish.whole });
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
      done({ ok: false, problem: `Expected a body in ${name}, but decoding failed: ${error.message}` });
    });
    stream.end(prepare(raw));
  });
}
