/** Longest line of a chunked body (a chunk's size with its extensions, or a trailer field), bytes. */
const MAX_LINE_BYTES = 4096;
/** Largest trailer section, bytes. */
const MAX_TRAILER_BYTES = 8192;

const LF = 10;
const CR = 13;
const PARTIAL: FramingOutcome = Object.freeze({ kind: 'partial' });

/**
 * How a body ends: after a number of bytes (0 for none), after its last chunk, or with the connection
 * (RFC 9112, 6.3).
 */
export type Framing = number | 'chunked' | 'close';

export type FramingOutcome =
  /** The body is complete; `rest` bytes of the last piece come after it. */
  | { kind: 'end'; rest: number }
  /** More bytes are needed, or the end of the connection. */
  | { kind: 'partial' }
  /** The body is broken; `problem` says how. */
  | { kind: 'bad'; problem: string };

/** Takes the content of a body: `bytes[start, end)` of a buffer that is overwritten afterwards. */
export interface ContentSink {
  take(bytes: Uint8Array, start: number, end: number): void;
}

type FramingState = 'size' | 'extension' | 'data' | 'data-end' | 'trailer' | 'end';

/**
 * Finds the end of a body in whatever pieces it comes, in place, and passes its content on without chunk
 * sizes and trailers. Takes bare LF as a line end, as the head does.
 */
export class BodyFraming {
  readonly #framing: Framing;
  readonly #sink: ContentSink;
  #received = 0;
  #state: FramingState = 'size';
  /** Of the chunk: what is left of it; while its size is read, that size. */
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

  /** Takes `piece[start, end)`. Not to be called after an end or a problem. */
  push(piece: Uint8Array, start: number, end: number): FramingOutcome {
    if (this.#framing === 'chunked') return this.#readChunks(piece, start, end);
    const wanted = this.#framing === 'close' ? Infinity : this.#framing - this.#received;
    const size = Math.min(wanted, end - start);
    this.#pass(piece, start, start + size);
    return size === wanted ? { kind: 'end', rest: end - start - size } : PARTIAL;
  }

  /** The connection has ended: null when that is the body's end, else what is missing. */
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

  /** One byte between the data of two chunks; what is wrong with it, or null. */
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
