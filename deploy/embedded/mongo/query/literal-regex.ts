import { badValue } from '../errors.ts';

const META = /[.*+?()[\]{}|$^]/;
const OPTIONS = /^i?$/;

export interface LiteralRegex {
  readonly pattern: RegExp;
  /** The text a match must start with, where case counts and the pattern is anchored; else null. */
  readonly prefix: string | null;
}

/**
 * A search for literal text: metacharacters must be escaped, `^` may stand first, `i` is the only option.
 * Anything else throws BadValue, since the store promises no regular expressions.
 */
export function literalRegex(source: string, options: string): LiteralRegex {
  if (!OPTIONS.test(options)) throw badValue(`$regex: the option(s) '${options}' are not served; literal search with 'i' only`);
  const anchored = source.startsWith('^');
  let literal = '';
  for (let i = anchored ? 1 : 0; i < source.length; i++) {
    const char = source[i] as string;
    if (char === '\\') {
      i++;
      const escaped = source[i];
      if (escaped === undefined || /[\p{L}\p{N}_]/u.test(escaped)) throw badValue('$regex: only literal search is served');
      literal += escaped;
    } else if (META.test(char)) throw badValue(`$regex: only literal search is served, found an unescaped '${char}'`);
    else literal += char;
  }
  const escapedLiteral = literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const pattern = new RegExp((anchored ? '^' : '') + escapedLiteral, options === 'i' ? 'iu' : 'u');
  return { pattern, prefix: anchored && options === '' ? literal : null };
}
