import { expect, test } from 'vitest';
import { z } from 'zod';
import { idParams, queryInt } from '../../../controller/http/params.ts';
import { defineRoute } from '../../../controller/http/route.ts';

test('a route keeps what it declares and types its handler by it', async () => {
  const route = defineRoute({
    method: 'GET',
    path: '/api/things/:id',
    summary: 'Read a thing',
    tag: 'Things',
    auth: { access: 'project', role: 'viewer' },
    params: idParams,
    query: z.strictObject({ limit: queryInt({ min: 1, max: 100, fallback: 50 }) }),
    answers: { 200: z.strictObject({ id: z.string(), limit: z.number() }) },
    handle: async (ctx, input) => ({ status: 200, data: { id: `${ctx.tenant.projectId}/${input.params.id}`, limit: input.query.limit } }),
  });
  expect(route.auth).toEqual({ access: 'project', role: 'viewer' });
  expect(route.body).toBeUndefined();
});

test('a route without auth does not start', () => {
  const spec = { method: 'GET', path: '/api/open', summary: '', tag: '', answers: {}, handle: async () => ({ status: 200 }) };
  expect(() => defineRoute(spec as never)).toThrow('without auth');
});

test('a whole number in the query has decimal digits only and keeps to its range', () => {
  const limit = queryInt({ min: 1, max: 100, fallback: 50 });
  expect(limit.parse('7')).toBe(7);
  expect(limit.parse(undefined)).toBe(50);
  for (const bad of ['0', '101', '-1', '1e2', '1e9', 'NaN', '', ' 5', '5.0', '0x10', '9'.repeat(16)]) {
    expect(limit.safeParse(bad).success, bad).toBe(false);
  }
});
