import type { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import { issueText } from '../issue-text.ts';

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
