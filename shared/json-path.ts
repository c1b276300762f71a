/** Characters. */
const MAX_LENGTH = 500;

const SPACE = /[ \t\r\n]*/y;
const SHORTHAND = /[A-Za-z_\u0080-\uffff][A-Za-z_0-9\u0080-\uffff]*/y;
const INDEX = /0|-?[1-9]\d{0,14}/y;
const DOUBLE = /"((?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*)"/uy;
const SINGLE = /'((?:[^'\\\p{Cc}]|\\['\\/bfnrt]|\\u[0-9A-Fa-f]{4})*)'/uy;
const ESCAPES: Readonly<Record<string, string>> =
  Object.freeze({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' });

/** Member names and element indexes from the root; a negative index counts from the end. */
export type JsonPath = readonly (string | number)[];

/**
 * The parts of a singular path (RFC 9535, 2.3.5.1) such as `$.items[0]['unit price']`, or an error message.
 */
export function parseJsonPath(text: string): JsonPath | string {
  if (text.length > MAX_LENGTH) return `A path can have at most ${MAX_LENGTH} characters`;
  if (!text.startsWith('$')) return 'A path must start with $';
  const path: (string | number)[] = [];
  for (let at = 1; at < text.length;) {
    const segment = segmentAt(text, at + (matchAt(SPACE, text, at)?.[0].length ?? 0));
    if (segment === null) return `Not a path to a single value, from character ${at + 1}`;
    path.push(segment.key);
    at = segment.end;
  }
  return path;
}

function segmentAt(text: string, at: number): { key: string | number; end: number } | null {
  if (text[at] === '.') {
    const name = matchAt(SHORTHAND, text, at + 1)?.[0];
    return name === undefined ? null : { key: name, end: at + 1 + name.length };
  }
  if (text[at] !== '[') return null;
  const start = at + 1 + (matchAt(SPACE, text, at + 1)?.[0].length ?? 0);
  const quoted = matchAt(DOUBLE, text, start) ?? matchAt(SINGLE, text, start);
  const token = quoted ?? matchAt(INDEX, text, start);
  if (!token) return null;
  const stop = start + token[0].length;
  const end = stop + (matchAt(SPACE, text, stop)?.[0].length ?? 0);
  if (text[end] !== ']') return null;
  return { key: quoted ? unescaped(quoted[1] as string) : Number(token[0]), end: end + 1 };
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u(.{4})|(.))/g, (_all, hex: string | undefined, one: string) =>
    (hex === undefined ? (ESCAPES[one] ?? one) : String.fromCharCode(parseInt(hex, 16))));
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
