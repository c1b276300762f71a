import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { containsText } from './literal-search.ts';

/** How far into a page a `meta` element may declare its charset (WHATWG HTML, 13.2.3.2). */
const META_BYTES = 1024;
const META = /<meta[^>]*?charset\s*=[\s"']*([\w:.-]+)/i;

const PIECE_BYTES = 32_768;
const START_BYTES = 16_384;
/** Lower-casing a letter may depend on its neighbours, but on no more characters than this. */
const CONTEXT = 8;

/**
 * A body's text, never held as one string: V8 retains large live strings across young collections, and tens
 * of megabytes accumulate. Charset: byte order mark, Content-Type, or `meta` element, in this order; by
 * default UTF-8, or Windows-1252 if invalid.
 */
export class BodyText {
  readonly #bytes: Buffer;
  readonly #charset: string;

  /** Takes ownership of `bytes` without copying. */
  constructor(bytes: Buffer, contentType: string | null) {
    const labels = [bomCharset(bytes), charsetOf(contentType), metaCharset(bytes)];
    const declared = labels.map(canonicalCharset).find((one) => one !== null);
    const whole = wholeCharacters(bytes);
    this.#charset = declared ?? (isUtf8(whole) ? 'utf-8' : 'windows-1252');
    this.#bytes = declared === undefined && this.#charset === 'utf-8' ? whole : bytes;
  }

  /** The whole of a short text, or more than the first 4096 characters of a longer one. */
  get start(): string {
    return this.#decoder()(this.#bytes.subarray(0, START_BYTES), this.#bytes.length <= START_BYTES);
  }

  /** The text in UTF-8. */
  get utf8(): Buffer {
    if (this.#charset === 'utf-8') return withoutBom(this.#bytes);
    return Buffer.from(Array.from(this.#pieces(), ({ piece }) => piece).join(''));
  }

  /** Which of these texts occur in it after applying `fold`. */
  find(wanted: readonly string[], fold = (text: string): string => text): Set<string> {
    const found = new Set<string>();
    const maxLength = wanted.reduce((max, { length }) => Math.max(max, length), 0);
    const overlap = maxLength + 2 * CONTEXT;
    let [text, start] = ['', 0];
    for (const { piece, isLast } of this.#pieces()) {
      text += piece;
      const searched = fold(text).slice(start, isLast ? undefined : -CONTEXT);
      for (const one of wanted) if (!found.has(one) && containsText(searched, one)) found.add(one);
      if (found.size === wanted.length) return found;
      if (text.length <= overlap) continue;
      text = text.slice(-overlap);
      start = CONTEXT;
    }
    return found;
  }

  * #pieces(): Generator<{ piece: string; isLast: boolean }> {
    const decode = this.#decoder();
    for (let at = 0; at < this.#bytes.length; at += PIECE_BYTES) {
      const end = at + PIECE_BYTES;
      const isLast = end >= this.#bytes.length;
      yield { piece: decode(this.#bytes.subarray(at, end), isLast), isLast };
    }
  }

  #decoder(): (piece: Buffer, isLast: boolean) => string {
    if (this.#charset !== 'utf-8') {
      const decoder = new TextDecoder(this.#charset);
      // Without `stream`, many Node versions decode Windows-1252 as Latin-1 (nodejs/node#56542).
      return (piece, isLast) => decoder.decode(piece, { stream: true }) + (isLast ? decoder.decode() : '');
    }
    const decoder = new StringDecoder('utf8');
    let isFirst = true;
    return (piece, isLast) => {
      const text = isFirst ? withoutBom(piece) : piece;
      isFirst = false;
      return isLast ? decoder.end(text) : decoder.write(text);
    };
  }
}

/** Drops an incomplete character at the end of truncated UTF-8. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return size > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}

/** The canonical name of a charset label; null if unknown. */
function canonicalCharset(label: string | null): string | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

function withoutBom(bytes: Buffer): Buffer {
  return bomCharset(bytes) === 'utf-8' ? bytes.subarray(3) : bytes;
}

function bomCharset(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : null;
}

function charsetOf(contentType: string | null): string | null {
  return /;\s*charset\s*=[\s"]*([\w:.-]+)/i.exec(contentType ?? '')?.[1] ?? null;
}

function metaCharset(bytes: Buffer): string | null {
  const label = META.exec(bytes.toString('latin1', 0, META_BYTES))?.[1] ?? null;
  // The declaration was readable as ASCII, so the page can't be UTF-16.
  return label !== null && /^utf-?16/i.test(label) ? 'utf-8' : label;
}
