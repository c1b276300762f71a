const LETTERS: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '\\': '\\' };
const PIECE = /\\(?:x([0-9a-fA-F]{2})|([rnt\\]))|[^\\]+|\\/gu;
/** Other control characters are invisible to the people who read the setting. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN_CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** The pattern of a text in which only known escapes stand for bytes. */
export const ESCAPED_BYTES_PATTERN =
  '^([^\\\\\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]|\\\\([rnt\\\\]|x[0-9a-fA-F]{2}))*$';

/** Bytes at most. */
export const MAX_BYTES = 1024;

/** What is wrong with a text that stands for bytes; null when nothing is. */
export function escapeFault(text: string): string | null {
  if (FORBIDDEN_CONTROLS.test(text)) return 'Write control characters as \\xNN';
  const pieces: string[] = text.match(PIECE) ?? [];
  if (pieces.includes('\\')) return 'A backslash must start \\r, \\n, \\t, \\xNN or \\\\';
  return unescapeBytes(text).length > MAX_BYTES ? `Must be at most ${MAX_BYTES} bytes` : null;
}

/** The bytes that a text stands for, one character each: its escapes, and UTF-8 of everything else. */
export function unescapeBytes(text: string): string {
  return text.replace(PIECE, (piece, hex?: string, letter?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (letter !== undefined) return LETTERS[letter] as string;
    return Buffer.from(piece, 'utf8').toString('latin1');
  });
}
