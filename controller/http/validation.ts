import type { z } from 'zod';
import { AppError } from '../../shared/errors.ts';

export interface ValidationIssue {
  code: string;
  path: (string | number)[];
  message: string;
}

/** Faults that one answer names. */
export const MOST_ISSUES = 50;
/** A leading underscore is what mailers and trackers add to links, as `_hsmi`. */
const QUERY_NAME = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The parsed value. Throws VALIDATION_ERROR whose details list every issue as `{code, path, message}`. */
export function validate(schema: z.ZodType, value: unknown): unknown {
  const { data, issues } = check(schema, value);
  if (issues.length > 0) throw validationError(issues);
  return data;
}

/** The parsed value, or what is wrong with it. */
export function check(schema: z.ZodType, value: unknown): { data?: unknown; issues: ValidationIssue[] } {
  const result = schema.safeParse(value);
  return result.success ? { data: result.data, issues: [] } : { issues: result.error.issues.flatMap((issue) => toIssues(issue, value)) };
}

/** The error of a request whose fields break a rule; its message names them all. */
export function validationError(issues: ValidationIssue[]): AppError {
  const shown = issues.slice(0, MOST_ISSUES);
  const text = shown.map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`)).join('; ');
  return new AppError('VALIDATION_ERROR', `Validation failed: ${text}`, { details: shown });
}

/** One field that breaks a rule which is no matter of its schema. `path`: names and indexes with dots between, as `ids.0`. */
export function fieldError(path: string, message: string, code = 'custom'): AppError {
  return validationError([{ code, path: path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)), message }]);
}

/** A query string as plain names and values: no repeated names, no brackets, no NUL. Throws VALIDATION_ERROR. */
export function parseQuery(querystring: string): Record<string, string> {
  const fields: Record<string, string> = {};
  if (querystring === '') return fields;
  for (const [name, value] of new URLSearchParams(querystring)) {
    const path = [name.slice(0, 64)];
    if (!QUERY_NAME.test(name)) throw validationError([{ code: 'unrecognized_keys', path, message: 'Unrecognized parameter' }]);
    if (Object.hasOwn(fields, name)) throw validationError([{ code: 'custom', path, message: 'Parameter must not be repeated' }]);
    if (value.includes('\0')) throw validationError([{ code: 'custom', path, message: 'Must not contain NUL' }]);
    fields[name] = value;
  }
  return fields;
}

function toIssues(issue: z.core.$ZodIssue, given: unknown): ValidationIssue[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ code: issue.code, path: [...path, key.slice(0, 100)], message: 'Unrecognized key' }));
  }
  const meant = issue.code === 'invalid_union' ? meantOption(issue) : null;
  if (meant !== null) return meant.flatMap((inner) => toIssues({ ...inner, path: [...issue.path, ...inner.path] }, given));
  const isMissing = issue.code === 'invalid_type' ? issue.message.endsWith('received undefined') : isChoice(issue) && isAbsent(given, path);
  return [{ code: issue.code ?? 'custom', path, message: isMissing ? 'Required' : issue.message }];
}

/** What is wrong by the one option of a union that takes a value of this kind at all; null when that is none or several. */
function meantOption(union: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | null {
  const ofKind = union.errors.filter((issues) => !issues.some(({ code, path }) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')));
  return ofKind.length === 1 ? (ofKind[0] ?? null) : null;
}

function isChoice(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_value' || issue.code === 'invalid_union';
}

function isAbsent(given: unknown, path: (string | number)[]): boolean {
  let part = given;
  for (const name of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return true;
    part = (part as Record<string, unknown>)[name];
  }
  return part === undefined;
}
