import { expect, test } from 'vitest';
import { z } from 'zod';
import { idParams, queryInt } from '../../../../controller/http/input/validation.ts';
import { defineRoute } from '../../../../controller/http/routing/route.ts';

test('a route keeps its declaration, which also types its handler', async () => {
  const route = defineRoute({
    method: 'GET',
    path: '/api/things/:id',
    summary: 'Read a thing',
    tag: 'Things',
    auth: { access: 'project', role: 'viewer' },
    params: idParams,
    query: z.strictObject({ limit: queryInt({ min: 1, max: 100, fallback: 50 }) }),
    responses: { 200: z.strictObject({ id: z.string(), limit: z.number() }) },
    handle: async ({ tenant }, { params, query }) => {
      return { status: 200, data: { id: `${tenant.projectId}/${params.id}`, limit: query.limit } };
    },
  });
  expect(route.auth).toEqual({ access: 'project', role: 'viewer' });
  expect(route.body).toBeUndefined();
});

test('a whole number in the query has only decimal digits and is within its range', () => {
  const limit = queryInt({ min: 1, max: 100, fallback: 50 });
  expect(limit.parse('7')).toBe(7);
  expect(limit.parse(undefined)).toBe(50);
  for (const bad of ['0', '101', '-1', '1e2', '1e9', 'NaN', '', ' 5', '5.0', '0x10', '9'.repeat(16)]) {
    expect(limit.safeParse(bad).success, bad).toBe(false);
  }
});
