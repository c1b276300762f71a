import { z } from 'zod';

/** Control characters, and line and paragraph separators: they could forge lines in logs and mail. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** Like CONTROLS, but allows tabs and line breaks. */
const MULTILINE_CONTROLS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
/** The characters that `trim` removes. */
const WHITESPACE = '\\t\\n\\u000b\\u000c\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const NO_CONTROLS = 'Must not contain control characters';

/** Text of at most `max` characters, counted as JSON Schema does: a surrogate pair is one. */
export function characters(max: number, message?: string) {
  return limited(z.string(), max, message);
}

function limited(text: z.ZodString, max: number, message?: string) {
  return text.check((context) => {
    if (isWithinLength(context.value, max)) return;
    context.issues.push({
      code: 'too_big', origin: 'string', maximum: max, inclusive: true, input: context.value,
      ...(message === undefined ? {} : { message }),
    });
  }).meta({ maxLength: max });
}

/**
 * Non-empty text on one line, trimmed before validation. `except` lists characters that only the documented
 * pattern excludes; the caller has to refuse them.
 */
export function singleLineText(max: number, except = '') {
  return withoutAny(CONTROLS, max).min(1, 'Must not be empty')
    .meta({ pattern: nonBlankPattern(`${CONTROLS}${except}`) });
}

/** Text of several lines, trimmed before validation. */
export function multilineText(max: number) {
  return withoutAny(MULTILINE_CONTROLS, max);
}

/** Like `multilineText`, but not empty. */
export function requiredMultilineText(max: number) {
  return multilineText(max).min(1, 'Must not be empty').meta({ pattern: nonBlankPattern(MULTILINE_CONTROLS) });
}

/** Text with at least one visible character, stored untrimmed. */
export function nonBlankText(max: number, tooLong: string, blank: string) {
  return characters(max, tooLong).refine((text) => text.trim() !== '', blank)
    .meta({ minLength: 1, pattern: `[^${WHITESPACE}]` });
}

/** The pattern for text that is trimmed before it must match `source`. */
export function trimmedPattern(source: string): string {
  return `^[${WHITESPACE}]*${source}[${WHITESPACE}]*$`;
}

function withoutAny(controls: string, max: number) {
  const found = new RegExp(`[${controls}]`);
  return limited(z.string().trim(), max, `Must be at most ${max} characters`)
    .refine((text) => !found.test(text), NO_CONTROLS)
    .meta({ pattern: trimmedPattern(`[^${controls}]*`) });
}

function nonBlankPattern(controls: string): string {
  const visible = `[^${controls}${WHITESPACE}]`;
  return trimmedPattern(`${visible}(?:[^${controls}]*${visible})?`);
}

function isWithinLength(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max);
}
