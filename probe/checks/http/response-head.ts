import { fnv1a, fnv1aBytes } from '../../../shared/ids.ts';
import { COMPARED_HEADERS, type TargetFacts } from '../../../shared/contracts/result.ts';

/** Maximum size of a response head (status line and headers). */
export const MAX_HEAD_BYTES = 32_768;

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;

/** The parts of a response head that a check needs. */
export interface ResponseHead {
  status: number;
  /** Value of Location; null if absent. */
  location: string | null;
  /** Null if absent. */
  contentLength: number | null;
  /** Why Content-Length is unusable (not a number, or conflicting values); null if usable or absent. */
  lengthProblem: string | null;
  chunked: boolean;
  /** Content codings in lower case, without `chunked`, in the order they were applied. */
  encodings: readonly string[];
  /** 31 bits of a hash of the compared headers; 0 without any. Larger numbers would cost V8 several µs. */
  comparedHash: number;
  /** Raw status line and headers, one character per byte, including the final empty line. */
  text: string;
}

export type HeadOutcome =
  /** `rest`: bytes of the last piece that follow the head. */
  | { kind: 'head'; head: ResponseHead; rest: number }
  /** More bytes are needed. */
  | { kind: 'partial' }
  /** Not an HTTP/1 response; `problem` says why. */
  | { kind: 'bad'; problem: string };

const PARTIAL: HeadOutcome = Object.freeze({ kind: 'partial' });
const NO_ENCODINGS: readonly string[] = Object.freeze([]);

/**
 * Parses one response head, in place if it arrives in one piece. Accepts a bare LF as a line end (RFC 9112,
 * 2.2). Rejects heads over MAX_HEAD_BYTES and anything without an HTTP/1 status line.
 */
export class HeadReader {
  readonly #head: ResponseHead = {
    status: 0, location: null, contentLength: null, lengthProblem: null, chunked: false,
    encodings: NO_ENCODINGS, comparedHash: 0, text: '',
  };
  #tail: Buffer | null = null;
  #total = 0;

  /** Processes `piece[start, end)`, which may be overwritten after the call. */
  push(piece: Uint8Array, start: number, end: number): HeadOutcome {
    this.#total += end - start;
    if (!this.#tail) return this.#read(piece, start, end, start);
    const whole = Buffer.concat([this.#tail, piece.subarray(start, end)]);
    return this.#read(whole, 0, whole.length, this.#tail.length);
  }

  #read(bytes: Uint8Array, start: number, end: number, unread: number): HeadOutcome {
    const head = this.#head;
    const bad = head.status === 0 ? statusLineProblem(bytes, start, end) : null;
    if (bad) return { kind: 'bad', problem: bad };
    let line = start;
    for (let at = unread; at < end; at += 1) {
      if (bytes[at] !== LF) continue;
      const stop = at > line && bytes[at - 1] === CR ? at - 1 : at;
      if (head.status === 0) {
        head.status = statusOf(bytes, line, stop);
        if (head.status === 0) return { kind: 'bad', problem: 'the status line has no status code' };
      } else if (stop === line) {
        const rest = end - at - 1;
        if (this.#total - rest > MAX_HEAD_BYTES) return tooLarge();
        head.text += textOf(bytes, start, at + 1);
        return { kind: 'head', head, rest };
      } else {
        readHeader(bytes, line, stop, head);
      }
      line = at + 1;
    }
    if (this.#total > MAX_HEAD_BYTES) return tooLarge();
    head.text += textOf(bytes, start, line);
    this.#tail = Buffer.from(bytes.subarray(line, end));
    return PARTIAL;
  }
}

function tooLarge(): HeadOutcome {
  return { kind: 'bad', problem: `the response headers are larger than ${MAX_HEAD_BYTES / 1024} kB` };
}

const PREFIX = [72, 84, 84, 80, 47, 49, 46];

function statusLineProblem(bytes: Uint8Array, start: number, end: number): string | null {
  const size = Math.min(PREFIX.length, end - start);
  for (let at = 0; at < size; at += 1) {
    if (bytes[start + at] !== PREFIX[at]) return 'the response is not HTTP/1';
  }
  return null;
}

/** Three digits after `HTTP/1.x `, or 0. */
function statusOf(bytes: Uint8Array, start: number, stop: number): number {
  if (stop - start < 12 || bytes[start + 8] !== SPACE || !isDigit(bytes[start + 7])) return 0;
  if (stop - start > 12 && bytes[start + 12] !== SPACE) return 0;
  let status = 0;
  for (let at = start + 9; at < start + 12; at += 1) {
    if (!isDigit(bytes[at])) return 0;
    status = status * 10 + (bytes[at] as number) - 48;
  }
  return status >= 100 ? status : 0;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

/** Checks a header's first letter and length first, because nearly all headers are irrelevant. */
function readHeader(bytes: Uint8Array, from: number, stop: number, head: ResponseHead): void {
  const first = (bytes[from] as number) | 0x20;
  if (first === 0x6c && isNamed(bytes, from, stop, 'location')) {
    head.location ??= textOf(bytes, from + 9, stop).trim();
  } else if (first === 0x63) {
    if (isNamed(bytes, from, stop, 'content-length')) readLength(textOf(bytes, from + 15, stop), head);
    else if (isNamed(bytes, from, stop, 'content-encoding')) addEncodings(textOf(bytes, from + 17, stop), head);
    else if (isNamed(bytes, from, stop, 'content-security-policy')) {
      addCompared(fnv1a(withoutNonces(textOf(bytes, from + 24, stop).trim())), 3, head);
    }
  } else if (first === 0x73) {
    if (isNamed(bytes, from, stop, 'server')) addCompared(fnv1aBytes(bytes, from + 7, stop), 0, head);
    else if (isNamed(bytes, from, stop, 'strict-transport-security')) {
      addCompared(fnv1aBytes(bytes, from + 26, stop), 2, head);
    }
  } else if (first === 0x76) {
    if (isNamed(bytes, from, stop, 'via')) addCompared(fnv1aBytes(bytes, from + 4, stop), 1, head);
  } else if (first === 0x74 && isNamed(bytes, from, stop, 'transfer-encoding')) {
    const text = textOf(bytes, from + 18, stop);
    head.chunked = /(^|,)\s*chunked\s*$/i.test(text);
    addEncodings(text.replace(/(^|,)\s*chunked\s*$/i, ''), head);
  }
}

/** `header` is its place among the compared headers. */
function addCompared(hash: number, header: number, head: ResponseHead): void {
  head.comparedHash = (Math.imul(head.comparedHash, 31) + hash + header + 1) & 0x7fffffff;
}

/** The compared headers in a head's text. */
export function comparedHeaders(headText: string): NonNullable<TargetFacts['headers']> {
  const found = COMPARED_HEADERS.flatMap((name) => {
    const value = headerValue(headText, name);
    return value === null ? [] : [[name, withoutNonces(value)]];
  });
  return Object.fromEntries(found) as NonNullable<TargetFacts['headers']>;
}

/** A policy's nonces are new in each response. */
function withoutNonces(policy: string): string {
  return policy.includes("'nonce-") ? policy.replace(/'nonce-[^']*'/g, "'nonce-…'") : policy;
}

/** Several equal lengths count as one (RFC 9112, 6.3). */
function readLength(text: string, head: ResponseHead): void {
  for (const part of text.split(',', 10)) {
    const value = part.trim();
    const length = /^\d{1,15}$/.test(value) ? Number(value) : null;
    if (length === null) head.lengthProblem ??= `Content-Length is no number: ${value}`;
    else if (length !== (head.contentLength ?? length)) {
      head.lengthProblem ??= `Content-Length is given as ${head.contentLength} and as ${length}`;
    } else head.contentLength = length;
  }
}

function addEncodings(text: string, head: ResponseHead): void {
  const names = text.split(',', 10).map((name) => name.trim().toLowerCase());
  head.encodings = [...head.encodings, ...names.filter((name) => name !== '' && name !== 'identity')];
}

/** The value of a header in a head's text, multiple values joined by `, `; null if absent. */
export function headerValue(headText: string, name: string): string | null {
  const wanted = `${name.toLowerCase()}:`;
  const values = headText.split('\n').slice(1)
    .filter((line) => line.slice(0, wanted.length).toLowerCase() === wanted)
    .map((line) => line.slice(wanted.length).trim());
  return values.length === 0 ? null : values.join(', ');
}

function isNamed(bytes: Uint8Array, from: number, stop: number, name: string): boolean {
  if (stop - from <= name.length || bytes[from + name.length] !== COLON) return false;
  for (let at = 0; at < name.length; at += 1) {
    const byte = bytes[from + at] as number;
    if ((byte >= 65 && byte <= 90 ? byte | 0x20 : byte) !== name.charCodeAt(at)) return false;
  }
  return true;
}

function textOf(bytes: Uint8Array, from: number, stop: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, stop - from).toString('latin1');
}
