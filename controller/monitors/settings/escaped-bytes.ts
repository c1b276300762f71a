const LETTERS: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '\\': '\\' };
const PIECE = /\\(?:x([0-9a-fA-F]{2})|([rnt\\]))|[^\\]+|\\/gu;
/** Control characters that are invisible in the setting; they must be escaped. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN_CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** Matches texts with valid escapes only, for the OpenAPI document. */
export const ESCAPED_BYTES_PATTERN =
  '^([^\\\\\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]|\\\\([rnt\\\\]|x[0-9a-fA-F]{2}))*$';

/** The same where variables are replaced, with `\\{{` for a literal `{{`. */
export const TEMPLATE_BYTES_PATTERN = ESCAPED_BYTES_PATTERN.replace('([rnt', '(\\{\\{|[rnt');

export const MAX_BYTES = 1024;

/** Error message for an invalid text; null if it is valid. */
export function escapeFault(text: string): string | null {
  if (FORBIDDEN_CONTROLS.test(text)) return 'Write control characters as \\xNN';
  const pieces: string[] = text.match(PIECE) ?? [];
  if (pieces.includes('\\')) return 'A backslash must start \\r, \\n, \\t, \\xNN or \\\\';
  return unescapeBytes(text).length > MAX_BYTES ? `Must be at most ${MAX_BYTES} bytes` : null;
}

/** Resolves escapes and encodes everything else as UTF-8. The result has one character per byte. */
export function unescapeBytes(text: string): string {
  return text.replace(PIECE, (piece, hex?: string, letter?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (letter !== undefined) return LETTERS[letter] as string;
    return Buffer.from(piece, 'utf8').toString('latin1');
  });
}
