import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';

export interface ValidationIssue {
  code: string;
  path: (string | number)[];
  message: string;
}

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
  const { data, error } = schema.safeParse(value, { error: issueText });
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

function toIssues(issue: z.core.$ZodIssue, input: unknown): ValidationIssue[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  const code = issue.code ?? 'custom';
  if (issue.code === 'unrecognized_keys') {
    const message = 'Unrecognized key';
    return issue.keys.map((key) => ({ code, path: [...path, key.slice(0, 100)], message }));
  }
  const matching = issue.code === 'invalid_union' ? matchingOption(issue) : null;
  if (matching !== null) {
    return matching.flatMap((inner) => toIssues({ ...inner, path: [...issue.path, ...inner.path] }, input));
  }
  const isChoice = issue.code === 'invalid_value' || issue.code === 'invalid_union';
  const isMissing = issue.code === 'invalid_type'
    ? issue.message.endsWith('received undefined')
    : isChoice && isAbsent(input, path);
  return [{ code, path, message: isMissing ? 'Required' : issue.message }];
}

/** Issues of the only option of a union that accepts this type of value; null if none or several do. */
function matchingOption({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | null {
  const isOtherKind = ({ code, path }: z.core.$ZodIssue) => {
    return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
  };
  const ofKind = errors.filter((issues) => !issues.some(isOtherKind));
  return ofKind.length === 1 ? (ofKind[0] ?? null) : null;
}

function isAbsent(input: unknown, path: (string | number)[]): boolean {
  let part = input;
  for (const name of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return true;
    part = (part as Record<string, unknown>)[name];
  }
  return part === undefined;
}

/**
 * The message shown to users for an issue whose schema has none of its own. Undefined falls back to zod's
 * text.
 */
function issueText(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    // A missing value is reported as `Required`.
    case 'invalid_type': return issue.input === undefined ? undefined : `Must be ${nounOf(issue.expected)}`;
    case 'invalid_value': return `Must be ${choiceOf(issue.values)}`;
    case 'too_small': return smallText(issue);
    case 'too_big': return bigText(issue);
    case 'not_multiple_of': return `Must be a multiple of ${issue.divisor}`;
    case 'invalid_format': return FORMATS[issue.format] ?? 'Has the wrong format';
    default: return 'Is not valid';
  }
}

const FORMATS: Readonly<Record<string, string | undefined>> = {
  email: 'Must be an email address', url: 'Must be a URL', uuid: 'Must be a UUID',
  datetime: 'Must be an ISO 8601 date and time', ipv4: 'Must be an IPv4 address', ipv6: 'Must be an IPv6 address',
};

const NOUNS: Readonly<Record<string, string | undefined>> = {
  string: 'a string', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'an array',
  object: 'an object', record: 'an object', null: 'null',
};

function nounOf(expected: string): string {
  return NOUNS[expected] ?? expected;
}

function choiceOf(values: readonly unknown[]): string {
  return values.length === 1 ? String(values[0]) : `one of: ${values.map(String).join(', ')}`;
}

function smallText(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  const { origin, minimum, inclusive = true } = issue;
  const unit = unitOf(origin, minimum);
  if (unit === null) return `Must be ${inclusive ? 'at least' : 'greater than'} ${minimum}`;
  if (minimum === 1) return 'Must not be empty';
  return origin === 'string' ? `Must be at least ${minimum} ${unit}` : `Must have at least ${minimum} ${unit}`;
}

function bigText(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  const { origin, maximum, inclusive = true } = issue;
  const unit = unitOf(origin, maximum);
  if (unit === null) return `Must be ${inclusive ? 'at most' : 'less than'} ${maximum}`;
  return origin === 'string' ? `Must be at most ${maximum} ${unit}` : `Must have at most ${maximum} ${unit}`;
}

/** The unit that a size counts; null for numbers. */
function unitOf(origin: string, count: number | bigint): string | null {
  const isOne = Number(count) === 1;
  if (origin === 'string') return isOne ? 'character' : 'characters';
  if (origin === 'array' || origin === 'set') return isOne ? 'item' : 'items';
  return origin === 'object' || origin === 'record' || origin === 'map' ? (isOne ? 'entry' : 'entries') : null;
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
