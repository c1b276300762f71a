/** Maximum line length in a chunked body (chunk size with extensions, or trailer field). */
const MAX_LINE_BYTES = 4096;
/** Maximum trailer section. */
const MAX_TRAILER_BYTES = 8192;

const LF = 10;
const CR = 13;
const PARTIAL: FramingOutcome = Object.freeze({ kind: 'partial' });

/**
 * How a body ends: after a number of bytes (0 for none), after its last chunk, or when the connection closes
 * (RFC 9112, 6.3).
 */
export type Framing = number | 'chunked' | 'close';

export type FramingOutcome =
  /** The body is complete; `rest` bytes of the last piece follow it. */
  | { kind: 'end'; rest: number }
  /** More bytes are needed, or the end of the connection. */
  | { kind: 'partial' }
  /** The body is malformed; `problem` says how. */
  | { kind: 'bad'; problem: string };

/** Receives body content: `bytes[start, end)` of a buffer that is overwritten afterwards. */
export interface ContentSink {
  take(bytes: Uint8Array, start: number, end: number): void;
}

type FramingState = 'size' | 'extension' | 'data' | 'data-end' | 'trailer' | 'end';

/**
 * Detects the end of a body across pieces, in place, and passes on its content without chunk sizes and
 * trailers. Accepts a bare LF as a line end, as the head parser does.
 */
export class BodyFraming {
  readonly #framing: Framing;
  readonly #sink: ContentSink;
  #received = 0;
  #state: FramingState = 'size';
  /** Bytes left of the current chunk; while the chunk size is being read, that size. */
  #left = 0;
  #lineBytes = 0;
  #trailerBytes = 0;

  constructor(framing: Framing, sink: ContentSink) {
    this.#framing = framing;
    this.#sink = sink;
  }

  /** Bytes of content so far. */
  get received(): number {
    return this.#received;
  }

  /** Processes `piece[start, end)`. Don't call it after an end or a problem. */
  push(piece: Uint8Array, start: number, end: number): FramingOutcome {
    if (this.#framing === 'chunked') return this.#readChunks(piece, start, end);
    const wanted = this.#framing === 'close' ? Infinity : this.#framing - this.#received;
    const size = Math.min(wanted, end - start);
    this.#pass(piece, start, start + size);
    return size === wanted ? { kind: 'end', rest: end - start - size } : PARTIAL;
  }

  /** Handles a closed connection: null if that is the body's end, else what is missing. */
  close(): string | null {
    if (this.#framing === 'close') return null;
    if (this.#framing === 'chunked') {
      return `Expected another chunk of the body after ${this.#received} bytes, got the end of the connection`;
    }
    return `Expected ${this.#framing} bytes of body, got ${this.#received}`;
  }

  #pass(piece: Uint8Array, start: number, end: number): void {
    this.#received += end - start;
    if (end > start) this.#sink.take(piece, start, end);
  }

  #readChunks(piece: Uint8Array, start: number, end: number): FramingOutcome {
    let at = start;
    while (at < end) {
      if (this.#state === 'data') {
        const size = Math.min(this.#left, end - at);
        this.#pass(piece, at, at + size);
        at += size;
        this.#left -= size;
        if (this.#left === 0) this.#enter('data-end');
      } else {
        const problem = this.#readByte(piece[at] as number);
        if (problem !== null) return { kind: 'bad', problem };
        at += 1;
        if (this.#state === 'end') return { kind: 'end', rest: end - at };
      }
    }
    return PARTIAL;
  }

  /** Processes one byte outside chunk data; returns a problem or null. */
  #readByte(byte: number): string | null {
    this.#lineBytes += 1;
    if (this.#lineBytes > MAX_LINE_BYTES) return `A line of the chunked body exceeds ${MAX_LINE_BYTES} bytes`;
    if (this.#state === 'size') return this.#readSize(byte);
    if (this.#state === 'extension') return byte === LF ? this.#endSize() : null;
    if (this.#state === 'data-end') {
      if (byte === LF) return this.#enter('size');
      return byte === CR && this.#lineBytes === 1 ? null : 'A chunk of the body is longer than its declared size';
    }
    return this.#readTrailer(byte);
  }

  #readSize(byte: number): string | null {
    const digit = digitOf(byte);
    if (digit >= 0) {
      this.#left = this.#left * 16 + digit;
      return this.#left > Number.MAX_SAFE_INTEGER ? 'A chunk of the body declares an impossible size' : null;
    }
    if (this.#lineBytes === 1) return 'Expected a chunk size in the body, got something else';
    if (byte === LF) return this.#endSize();
    if (byte !== CR && byte !== 0x3b && byte !== 0x20 && byte !== 0x09) {
      return 'Expected a chunk size in the body, got something else';
    }
    this.#state = 'extension';
    return null;
  }

  #endSize(): null {
    return this.#enter(this.#left > 0 ? 'data' : 'trailer');
  }

  #readTrailer(byte: number): string | null {
    this.#trailerBytes += 1;
    if (this.#trailerBytes > MAX_TRAILER_BYTES) return `The trailer exceeds ${MAX_TRAILER_BYTES} bytes`;
    if (byte === CR) this.#lineBytes -= 1;
    if (byte !== LF) return null;
    return this.#enter(this.#lineBytes === 1 ? 'end' : 'trailer');
  }

  #enter(state: FramingState): null {
    this.#state = state;
    this.#lineBytes = 0;
    return null;
  }
}

/** The value of a hexadecimal digit, or -1. */
function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 0x20;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
