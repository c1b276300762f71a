import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../../../controller/http/input/validation.ts';

describe('describes a validation issue in a sentence', () => {
  test.each<[z.ZodType, unknown, string]>([
    [z.string().min(1), '', 'Must not be empty'],
    [z.string().min(3), 'ab', 'Must be at least 3 characters'],
    [z.string().max(1), 'ab', 'Must be at most 1 character'],
    [z.array(z.string()).min(1), [], 'Must not be empty'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'Must have at most 2 items'],
    [z.int().min(1), 0, 'Must be at least 1'],
    [z.int().max(100), 101, 'Must be at most 100'],
    [z.number().gt(0), 0, 'Must be greater than 0'],
    [z.number().multipleOf(5), 7, 'Must be a multiple of 5'],
    [z.string(), 1, 'Must be a string'],
    [z.int(), 1.5, 'Must be a whole number'],
    [z.boolean(), 'yes', 'Must be true or false'],
    [z.strictObject({}), [], 'Must be an object'],
    [z.enum(['asc', 'desc']), 'up', 'Must be one of: asc, desc'],
    [z.literal(true), false, 'Must be true'],
    [z.email(), 'ada', 'Must be an email address'],
    [z.uuid(), 'x', 'Must be a UUID'],
    [z.string().regex(/^a$/), 'b', 'Has the wrong format'],
    [z.string().refine(() => false), 'b', 'Is not valid'],
    [z.union([z.int().max(3), z.strictObject({})]), 4, 'Must be at most 3'],
    [z.string(), undefined, 'Required'],
    [z.string().min(1, 'Name it'), '', 'Name it'],
  ])('%# %o', (schema, value, message) => {
    expect(check(schema, value).issues.map((issue) => issue.message)).toEqual([message]);
  });
});
