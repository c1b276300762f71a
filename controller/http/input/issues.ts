import type { z } from 'zod';
import type { ValidationIssue } from './validation.ts';

export function toIssues(issue: z.core.$ZodIssue, input: unknown): ValidationIssue[] {
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
export function issueText(issue: z.core.$ZodRawIssue): string | undefined {
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
