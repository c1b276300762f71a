import { brotliDecompressSync, constants, inflateRawSync, unzipSync } from 'node:zlib';
import { EXCERPT_BYTES } from '../check.ts';
import { BodyText } from './body-text.ts';
import { withNarrowWindow } from './decode-body.ts';
import { headerValue } from './response-head.ts';

/** Of an excerpt that grows without measure when it is decoded, nothing is shown beyond this size, bytes. */
const MAX_DECODED_BYTES = 262_144;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
const ZLIB = { finishFlush: Z_SYNC_FLUSH, maxOutputLength: MAX_DECODED_BYTES };
const BROTLI = { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength: MAX_DECODED_BYTES };

/** By the coding of the body, as Content-Encoding names it. */
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = Object.freeze({
  '': (bytes: Buffer) => bytes,
  identity: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => unzipSync(bytes, ZLIB),
  'x-gzip': (bytes: Buffer) => unzipSync(bytes, ZLIB),
  // Many servers leave out the zlib header (see `streamFor`).
  deflate: (bytes: Buffer) =>
    (((bytes[0] as number) & 0x0f) === 8 ? unzipSync(bytes, ZLIB) : inflateRawSync(bytes, ZLIB)),
  br: (bytes: Buffer) => brotliDecompressSync(withNarrowWindow(bytes), BROTLI),
});

/**
 * What the beginning of a body says, at most EXCERPT_BYTES characters: decoded and in its charset, as its
 * head (empty if there is none) names them. Null when it cannot be decoded. One character of `body` is one
 * byte.
 */
export function excerptText(head: string, body: string): string | null {
  const encoding = (headerValue(head, 'content-encoding') ?? '').toLowerCase();
  if (!Object.hasOwn(DECODERS, encoding)) return null;
  const raw = Buffer.from(body, 'latin1');
  try {
    const bytes = raw.length === 0 ? raw : (DECODERS[encoding] as (bytes: Buffer) => Buffer)(raw);
    // No character takes more than four bytes.
    const start = bytes.subarray(0, EXCERPT_BYTES * 4);
    return new BodyText(start, headerValue(head, 'content-type')).start.slice(0, EXCERPT_BYTES);
  } catch {
    return null;
  }
}
