import type { JsonPath } from '../../../shared/json-path.ts';

/** Maximum nesting depth. */
const MAX_DEPTH = 1000;

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, DOT, PLUS] = [34, 92, 44, 58, 45, 46, 43];
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [91, 93, 123, 125];
const [SMALL_E, LARGE_E, SMALL_U, ZERO] = [101, 69, 117, 48];
const LITERALS = ['true', 'false', 'null'].map((text) => Buffer.from(text));
const ESCAPED = Buffer.from('"\\/bfnrt');
const OFF_PATH = -1;
const NONE = -1;

export type JsonOutcome =
  | { kind: 'found'; value: unknown }
  /** JSON without anything at the path. */
  | { kind: 'absent' }
  /** `what` was found instead of JSON. */
  | { kind: 'other'; what: 'nothing' | 'deep' | 'text' };

/**
 * Finds the value at a path in JSON text (RFC 8259, in UTF-8). The last of duplicate names wins. Lists and
 * objects are returned empty.
 */
export function findInJson(text: Buffer, path: JsonPath): JsonOutcome {
  return new JsonScan(text, path).run();
}

/**
 * Validates the text in one pass and materializes only the value at the path: `JSON.parse` of a hostile
 * megabyte takes 20 MB, and V8 lets several accumulate.
 */
class JsonScan {
  readonly #text: Buffer;
  readonly #path: JsonPath;
  #depth = 0;
  #isDeep = false;
  /** Offset of the value at the path, as far as the text has been read. */
  #found = NONE;

  constructor(text: Buffer, path: JsonPath) {
    this.#text = text;
    this.#path = path;
  }

  run(): JsonOutcome {
    const text = this.#text;
    const start = this.#afterSpace(0);
    if (start === text.length) return { kind: 'other', what: 'nothing' };
    const end = this.#value(start, 0);
    if (this.#isDeep) return { kind: 'other', what: 'deep' };
    if (end === NONE || this.#afterSpace(end) < text.length) return { kind: 'other', what: 'text' };
    return this.#found === NONE ? { kind: 'absent' } : { kind: 'found', value: this.#read(this.#found) };
  }

  #read(start: number): unknown {
    const first = this.#text[start];
    if (first === OBJECT) return {};
    return first === ARRAY ? [] : this.#parse(start, this.#value(start, OFF_PATH));
  }

  #parse(start: number, end: number): unknown {
    return JSON.parse(this.#text.toString('utf8', start, end));
  }

  /**
   * The end of the value that starts at `at`; NONE if malformed. `step`: the number of path parts leading to
   * it, or OFF_PATH.
   */
  #value(at: number, step: number): number {
    const isHere = step === this.#path.length;
    if (isHere) this.#found = at;
    const inner = isHere ? OFF_PATH : step;
    const first = this.#text[at];
    if (first === QUOTE) return this.#string(at);
    if (first === MINUS || isDigit(first)) return this.#number(at);
    if (first === OBJECT || first === ARRAY) return this.#container(at, first, inner);
    const literal = LITERALS.find((candidate) => this.#isAt(candidate, at));
    return literal === undefined ? NONE : at + literal.length;
  }

  #container(at: number, first: number, step: number): number {
    this.#depth += 1;
    this.#isDeep ||= this.#depth > MAX_DEPTH;
    if (this.#isDeep) return NONE;
    const end = first === OBJECT ? this.#object(at, step) : this.#array(at, step);
    this.#depth -= 1;
    return end;
  }

  #object(start: number, step: number): number {
    const key = this.#path[step];
    const name = typeof key === 'string' ? Buffer.from(key) : null;
    let at = this.#afterSpace(start + 1);
    if (this.#text[at] === OBJECT_END) return at + 1;
    for (;;) {
      const end = this.#text[at] === QUOTE ? this.#string(at) : NONE;
      const colon = end === NONE ? NONE : this.#afterSpace(end);
      if (colon === NONE || this.#text[colon] !== COLON) return NONE;
      const isNext = name !== null && this.#isName(at, end, name);
      if (isNext) this.#found = NONE;
      at = this.#value(this.#afterSpace(colon + 1), isNext ? step + 1 : OFF_PATH);
      if (at === NONE) return NONE;
      at = this.#afterSpace(at);
      if (this.#text[at] === OBJECT_END) return at + 1;
      if (this.#text[at] !== COMMA) return NONE;
      at = this.#afterSpace(at + 1);
    }
  }

  #array(start: number, step: number): number {
    const key = this.#path[step];
    const wanted = typeof key === 'number' ? key : null;
    const isFromEnd = wanted !== null && wanted < 0;
    /** Ring buffer of the last elements, for an index from the end. */
    const last: number[] = [];
    let at = this.#afterSpace(start + 1);
    if (this.#text[at] === ARRAY_END) return at + 1;
    for (let index = 0; ; index += 1) {
      const isNext = isFromEnd || wanted === index;
      if (isNext) this.#found = NONE;
      at = this.#value(at, isNext ? step + 1 : OFF_PATH);
      if (at === NONE) return NONE;
      if (isFromEnd) last[index % -wanted] = this.#found;
      at = this.#afterSpace(at);
      if (this.#text[at] === ARRAY_END) {
        if (isFromEnd) this.#found = index + 1 < -wanted ? NONE : (last[(index + 1) % -wanted] as number);
        return at + 1;
      }
      if (this.#text[at] !== COMMA) return NONE;
      at = this.#afterSpace(at + 1);
    }
  }

  /** Whether the string between these offsets equals the name. */
  #isName(start: number, end: number, name: Buffer): boolean {
    if (end - start - 2 === name.length && this.#isAt(name, start + 1)) return true;
    const hasEscape = this.#text.subarray(start, end).includes(BACKSLASH);
    return hasEscape && this.#parse(start, end) === name.toString();
  }

  #isAt(bytes: Buffer, start: number): boolean {
    for (let at = 0; at < bytes.length; at += 1) if (this.#text[start + at] !== bytes[at]) return false;
    return true;
  }

  #string(start: number): number {
    const text = this.#text;
    for (let at = start + 1; at < text.length; at += 1) {
      const code = text[at] as number;
      if (code === QUOTE) return at + 1;
      if (code < 32) return NONE;
      if (code !== BACKSLASH) continue;
      at += 1;
      if (text[at] !== SMALL_U) {
        if (!ESCAPED.includes(text[at] ?? SMALL_U)) return NONE;
      } else if (/^[0-9A-Fa-f]{4}$/.test(text.toString('latin1', at + 1, at + 5))) at += 4;
      else return NONE;
    }
    return NONE;
  }

  #number(start: number): number {
    const text = this.#text;
    let at = text[start] === MINUS ? start + 1 : start;
    at = text[at] === ZERO ? at + 1 : this.#digits(at);
    if (at !== NONE && text[at] === DOT) at = this.#digits(at + 1);
    if (at === NONE || (text[at] !== SMALL_E && text[at] !== LARGE_E)) return at;
    const sign = text[at + 1];
    return this.#digits(sign === PLUS || sign === MINUS ? at + 2 : at + 1);
  }

  /** The end of the digits that start at `start`; NONE if there are none. */
  #digits(start: number): number {
    let at = start;
    while (isDigit(this.#text[at])) at += 1;
    return at === start ? NONE : at;
  }

  #afterSpace(start: number): number {
    for (let at = start; ; at += 1) {
      const code = this.#text[at];
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
    }
  }
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 48 && code <= 57;
}
