import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { idParams } from '../../../../controller/http/input/validation.ts';
import { defineRoute, type Route } from '../../../../controller/http/routing/route.ts';
import { checkRoutes, inMatchingOrder } from '../../../../controller/http/routing/route-table.ts';

const route = (path: string, method: 'GET' | 'POST' = 'GET'): Route => defineRoute({
  method, path, summary: '', tag: '', auth: { access: 'public' },
  params: path.includes(':') ? idParams : undefined, responses: { 200: z.strictObject({}) },
  handle: async () => ({ status: 200, data: {} }),
});

describe('route table', () => {
  test('rejects a route without a known auth', () => {
    const bare = { ...route('/api/a'), auth: undefined } as unknown as Route;
    expect(() => checkRoutes([bare])).toThrow('GET /api/a: declares no known auth');
    const unknown = { ...route('/api/a'), auth: { access: 'everybody' } } as unknown as Route;
    expect(() => checkRoutes([unknown])).toThrow('no known auth');
  });

  test('rejects two routes with the same path, even if their parameters have different names', () => {
    expect(() => checkRoutes([route('/api/a/:id'), route('/api/a/:name')])).toThrow('declared twice');
    expect(() => checkRoutes([route('/api/a'), route('/api/a', 'POST'), route('/api/a/:id')])).not.toThrow();
  });

  test('rejects a route that validates no path parameters or declares no response', () => {
    expect(() => checkRoutes([{ ...route('/api/a/:id'), params: undefined }])).toThrow('no schema');
    expect(() => checkRoutes([{ ...route('/api/a'), responses: {} }])).toThrow('no response');
  });

  test('rejects a route that could make changes without an audit log entry', () => {
    const write = { ...route('/api/a', 'POST'), auth: { access: 'account' } } as Route;
    expect(() => checkRoutes([write])).toThrow(
      'POST /api/a: must declare an audit log name',
    );
    for (const audit of ['a.created', false] as const) {
      expect(() => checkRoutes([{ ...write, audit }])).not.toThrow();
    }
    expect(() => checkRoutes([{ ...write, method: 'GET' }])).not.toThrow();
  });

  test('matches a fixed segment before a parameter', () => {
    const paths = ['/api/a/:id/stats', '/api/a/:id', '/api/a/stats', '/api/:x/b', '/api/a'];
    const ordered = inMatchingOrder(paths.map((path) => route(path))).map(({ path }) => path);
    expect(ordered).toEqual(['/api/a', '/api/a/stats', '/api/a/:id', '/api/a/:id/stats', '/api/:x/b']);
  });
});
