import { EXCERPT_BYTES } from '../check.ts';
import { BodyText } from './body-text.ts';
import { codingOf } from './codings.ts';
import { headerValue } from './response-head.ts';

/** An excerpt that decodes to more than this is not shown, bytes. */
const MAX_DECODED_BYTES = 262_144;

/**
 * The readable start of a body, at most EXCERPT_BYTES characters, decoded and in its charset according to
 * `head` (may be empty). Null if it can't be decoded. One character of `body` is one byte.
 */
export function excerptText(head: string, body: string): string | null {
  const encoding = (headerValue(head, 'content-encoding') ?? 'identity').toLowerCase();
  const bytes = decodedStart(encoding, Buffer.from(body, 'latin1'));
  if (bytes === null) return null;
  // No character takes more than four bytes.
  const start = bytes.subarray(0, EXCERPT_BYTES * 4);
  return new BodyText(start, headerValue(head, 'content-type')).start.slice(0, EXCERPT_BYTES);
}

function decodedStart(encoding: string, raw: Buffer): Buffer | null {
  if (encoding === '' || encoding === 'identity') return raw;
  const coding = codingOf(encoding, raw);
  if (coding === null) return null;
  try {
    const { prepare, decodeSync, finish } = coding;
    return decodeSync(prepare(raw), { finishFlush: finish.partial, maxOutputLength: MAX_DECODED_BYTES });
  } catch {
    return null;
  }
}
