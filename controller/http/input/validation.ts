import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import { issueText, toIssues } from './issues.ts';

export interface ValidationIssue {
  code: string;
  path: (string | number)[];
  message: string;
}

const PARSING = { error: issueText };
/** Issues listed in one response. */
export const MAX_ISSUES = 50;
/** A leading underscore is allowed because mailers and trackers add parameters like `_hsmi` to links. */
const QUERY_NAME = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Returns the parsed value. Throws VALIDATION_ERROR whose details list each issue as `{code, path, message}`.
 */
export function validate(schema: z.ZodType, value: unknown): unknown {
  const { data, issues } = check(schema, value);
  if (issues.length > 0) throw validationError(issues);
  return data;
}

export function check(schema: z.ZodType, value: unknown): { data?: unknown; issues: ValidationIssue[] } {
  const { data, error } = schema.safeParse(value, PARSING);
  return { data, issues: (error?.issues ?? []).flatMap((issue) => toIssues(issue, value)) };
}

/** A VALIDATION_ERROR whose message names these issues, too. */
export function validationError(issues: ValidationIssue[]): AppError {
  const details = issues.slice(0, MAX_ISSUES);
  const lines = details.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  return new AppError('VALIDATION_ERROR', `Validation failed: ${lines.join('; ')}`, { details });
}

/** VALIDATION_ERROR for a field that breaks a rule outside its schema. `path` is dotted, as in `ids.0`. */
export function fieldError(path: string, message: string, code = 'custom'): AppError {
  const parts = path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return validationError([{ code, path: parts, message }]);
}

/** Parses the query string. Throws VALIDATION_ERROR for repeated names, brackets and NUL. */
export function parseQuery(querystring: string): Record<string, string> {
  const fields: Record<string, string> = {};
  if (querystring === '') return fields;
  for (const [name, value] of new URLSearchParams(querystring)) {
    const path = [name.slice(0, 64)];
    const refusal = (message: string, code = 'custom') => validationError([{ code, path, message }]);
    if (!QUERY_NAME.test(name)) throw refusal('Unrecognized parameter', 'unrecognized_keys');
    if (Object.hasOwn(fields, name)) throw refusal('Parameter must not be repeated');
    if (value.includes('\0')) throw refusal('Must not contain NUL');
    fields[name] = value;
  }
  return fields;
}

export const UUID = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/;

/** A UUID in any case, converted to lower case. */
export const uuidParam = z
  .string()
  .regex(UUID, 'Must be a UUID')
  .transform((id) => id.toLowerCase())
  .meta({ format: 'uuid' });

export const idParams = z.strictObject({ id: uuidParam });

const readOnlyField = z.unknown().optional()
  .meta({ readOnly: true, description: 'Returned by reads; ignored in requests.' });

/** Fields that reads return and writes ignore, so that clients can send back what they read. */
export function readOnlyFields<Name extends string>(...names: Name[]): Record<Name, typeof readOnlyField> {
  return Object.fromEntries(names.map((name) => [name, readOnlyField])) as Record<Name, typeof readOnlyField>;
}

/** An ISO 8601 instant, converted to Unix ms. The offset is required because servers' time zones differ. */
export const instantInput = z.iso
  .datetime({ offset: true, error: 'Must be an ISO 8601 date and time' })
  .transform((text) => Date.parse(text))
  .meta({ format: 'date-time' });

const NO_TIME_ZONE = 'Must be the name of a time zone, such as Europe/Berlin';

/** An IANA time zone name. Offsets are rejected because they ignore daylight saving time. */
export const timeZoneInput = z.string().max(64).regex(/^[A-Za-z]/, NO_TIME_ZONE)
  .refine(isTimeZone, NO_TIME_ZONE);

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/** A whole number in the query string, in decimal digits only. */
export function queryInt({ min, max, fallback }: { min: number; max?: number; fallback: number }) {
  const rule = `a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`;
  return z
    .string()
    .regex(/^-?\d{1,15}$/, `Must be ${rule}`)
    .transform(Number)
    .refine((value) => value >= min && value <= (max ?? Infinity), `Must be ${rule}`)
    .default(fallback)
    .meta({ type: 'integer', minimum: min, ...(max === undefined ? {} : { maximum: max }), fallback });
}

export const queryBoolean = z.enum(['true', 'false']).transform((text) => text === 'true');

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
