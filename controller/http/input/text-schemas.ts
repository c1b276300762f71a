import { z } from 'zod';

/** Control characters, and the separators of lines and paragraphs: they could forge lines elsewhere. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** The same but for what lays out a text of several lines. */
const MULTILINE_CONTROLS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
/** What `trim` removes. */
const WHITESPACE = '\\t\\n\\u000b\\u000c\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const NO_CONTROLS = 'Must not contain control characters';

/** Text of at most `max` characters as JSON Schema counts them: two halves of a pair are one. */
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
 * Text on one line, trimmed before it is judged, that is not empty. The document says that it has no
 * character of `except`.
 */
export function singleLineText(max: number, except = '') {
  return withoutAny(CONTROLS, max).min(1, 'Must not be empty')
    .meta({ pattern: nonBlankPattern(`${CONTROLS}${except}`) });
}

/** Text of several lines, trimmed before it is judged. */
export function multilineText(max: number) {
  return withoutAny(MULTILINE_CONTROLS, max);
}

/** The same, and not empty. */
export function requiredMultilineText(max: number) {
  return multilineText(max).min(1, 'Must not be empty').meta({ pattern: nonBlankPattern(MULTILINE_CONTROLS) });
}

/** Text with something to be seen in it, as it was sent. */
export function nonBlankText(max: number, tooLong: string, blank: string) {
  return characters(max, tooLong).refine((text) => text.trim() !== '', blank)
    .meta({ minLength: 1, pattern: `[^${WHITESPACE}]` });
}

/** The pattern of a text that is trimmed before it has to match `source`. */
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
