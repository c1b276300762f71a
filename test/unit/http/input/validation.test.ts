import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../../controller/errors/app-error.ts';
import { parseQuery, validate } from '../../../../controller/http/input/validation.ts';

function failureOf(run: () => unknown): AppError {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('nothing was thrown');
}

describe('validation error', () => {
  const schema = z.strictObject({
    name: z.string().min(1), tags: z.array(z.string()).optional(),
    nested: z.strictObject({ a: z.int() }).optional(),
  });

  test('names every field in its message and in its details', () => {
    const sent = { tags: ['a', 1], nested: { a: 1.5, b: 2 }, extra: true, more: 1 };
    const error = failureOf(() => validate(schema, sent));
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.details).toEqual([
      { code: 'invalid_type', path: ['name'], message: 'Required' },
      { code: 'invalid_type', path: ['tags', 1], message: 'Must be a string' },
      {
        code: 'invalid_type', path: ['nested', 'a'], message: 'Must be a whole number',
      },
      { code: 'unrecognized_keys', path: ['nested', 'b'], message: 'Unrecognized key' },
      { code: 'unrecognized_keys', path: ['extra'], message: 'Unrecognized key' },
      { code: 'unrecognized_keys', path: ['more'], message: 'Unrecognized key' },
    ]);
    expect(error.message).toContain('Validation failed: name: Required; tags.1: Must be a string');
  });

  test('distinguishes a missing enum value from an unknown one', () => {
    const what = z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('x') })]);
    const choices = z.strictObject({ role: z.enum(['a', 'b']), what });
    expect(failureOf(() => validate(choices, { what: {} })).details).toEqual([
      { code: 'invalid_value', path: ['role'], message: 'Required' },
      { code: 'invalid_union', path: ['what', 'kind'], message: 'Required' },
    ]);
    const { message } = failureOf(() => validate(choices, { role: 'c', what: { kind: 'y' } }));
    expect(message).toContain('role: Must be one of: a, b');
  });

  test('stays short however many fields are invalid', () => {
    const fields = Array.from({ length: 5000 }, (_, n) => [`k${n}${'x'.repeat(500)}`, n]);
    const error = failureOf(() => validate(schema, Object.fromEntries(fields)));
    expect(error.details).toHaveLength(50);
    expect(error.message.length).toBeLessThan(10_000);
  });
});

describe('query string', () => {
  test('is parsed into plain names and values', () => {
    const fields = { a: '1', b: 'x y z', c: '', d: '', sort_by: 'name', e: '[]', _f: '2' };
    expect(parseQuery('a=1&b=x%20y+z&c=&d&sort_by=name&e=%5B%5D&_f=2')).toEqual(fields);
    expect(parseQuery('')).toEqual({});
    expect(parseQuery('bad=%zz&worse=%ff')).toEqual({ bad: '%zz', worse: '\ufffd' });
  });

  test.each([
    'a=1&a=2', 'a[]=1', 'a[b]=1', 'a[$ne]=1', '$gt=1', 'a.b=1', '__proto__=1', '%5F_proto__=1', '=1', 'a=%00',
    'ä=1',
    `${'x'.repeat(65)}=1`,
  ])('rejects %s', (text) => {
    expect(failureOf(() => parseQuery(text)).code).toBe('VALIDATION_ERROR');
  });

  test('can\'t reach a prototype', () => {
    expect(Object.hasOwn(parseQuery('constructor=1&toString=2'), 'constructor')).toBe(true);
    const schema = z.strictObject({ a: z.string().optional() });
    expect(failureOf(() => validate(schema, parseQuery('constructor=1'))).code).toBe('VALIDATION_ERROR');
  });
});
