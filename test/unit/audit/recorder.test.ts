import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createAuditRecorder } from '../../../controller/audit/recorder.ts';
import type { AuditDoc } from '../../../controller/audit/store.ts';
import type { HandledRequest } from '../../../controller/http/routing/ports.ts';
import { defineRoute, type RouteResponse, type Route } from '../../../controller/http/routing/route.ts';
import { createLog } from '../../../shared/log.ts';

const actor = {
  kind: 'key', keyId: 'k1', name: 'deploy', scope: 'read_write', organizationId: 'o1', createdBy: 'u1', projectIds: null,
} as const;
const context = {
  requestId: 'r1', address: 'ip:a', clientAddress: '192.0.2.1', now: 5, actor, tenant: { organizationId: 'o1', projectId: 'p1' },
};

const route = (path: string): Route => defineRoute({
  method: 'POST', path, summary: '', tag: '', auth: { access: 'project', role: 'editor' },
  params: z.looseObject({}), body: z.looseObject({}), responses: { 200: z.looseObject({}) },
  handle: async () => ({ status: 200, data: {} }),
});

/** The entries that a request adds to the audit log. */
async function entriesOf(request: Partial<HandledRequest>): Promise<AuditDoc[]> {
  const docs: AuditDoc[] = [];
  const recorder = createAuditRecorder({
    entries: { insert: async (doc) => void docs.push(doc) },
    organizationsOf: async () => [], log: createLog('test', 'silent'),
  });
  await recorder.record({
    action: 'monitor.created', route: route('/api/a'), context, params: {}, query: {}, body: {},
    response: { status: 200 }, ...request,
  });
  return docs;
}

describe('an audit entry', () => {
  test('contains actor, resource, tenant and field names, but no values', async () => {
    const made = await entriesOf({
      route: route('/api/monitors'), response: { status: 201, data: { monitor: { id: 'm1' } } },
      body: { name: 'secret name', http_config: { auth: 'secret' } },
    });
    expect(made).toEqual([{
      _id: expect.any(String) as string, action: 'monitor.created',
      actor_type: 'api_key', actor_id: 'k1', actor_name: 'deploy', organization_id: 'o1', project_id: 'p1',
      resource_type: 'monitor', resource_id: 'm1', fields: ['name', 'http_config'], request_id: 'r1',
      created_at: 5,
    }]);
  });

  test.each<[string, RouteResponse, Record<string, string>, string | null]>([
    ['/api/a/:id/pause', { status: 200, data: { monitor: { id: 'other' } } }, { id: 'm1' }, 'm1'],
    ['/api/p/:projectId/pages/:id', { status: 200, data: {} }, { projectId: 'p1', id: 'page1' }, 'page1'],
    [
      '/api/p/:projectId/pages', { status: 201, data: { status_page: { id: 'page2' } } }, { projectId: 'p1' },
      'page2',
    ],
    ['/api/groups', { status: 201, data: { id: 'g1' } }, {}, 'g1'],
    ['/api/bulk', { status: 200, data: { ids: ['a'] } }, {}, null],
    ['/api/raw', { status: 200, raw: 'text' }, {}, null],
  ])('for %s with the response %j names the right resource', async (path, response, params, id) => {
    expect(
      (await entriesOf({ route: route(path), response, params })).map((entry) => entry.resource_id),
    ).toEqual([id]);
  });

  test('is written only for successful requests', async () => {
    expect(await entriesOf({ response: { status: 400, raw: '' } })).toEqual([]);
  });

  test('lists the fields of the query and the body', async () => {
    const [entry] = await entriesOf({ query: { dry_run: 'true' }, body: { name: 'x' } });
    expect(entry?.fields).toEqual(['dry_run', 'name']);
  });

  test('has a maximum size regardless of the request', async () => {
    const body = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${at}${'x'.repeat(200)}`, 1]));
    const fields = (await entriesOf({ body }))[0]?.fields ?? [];
    expect(fields).toHaveLength(50);
    expect(Math.max(...fields.map((name) => name.length))).toBe(64);
    expect((await entriesOf({ body: 'text' }))[0]?.fields).toEqual([]);
  });

  test('names the actor that the handler identified', async () => {
    const audit = { actor: { type: 'user' as const, id: 'u9', name: 'Grace' }, organizationId: 'o9' };
    const [entry] = await entriesOf({ response: { status: 200, audit } });
    expect(entry).toMatchObject({
      actor_type: 'user', actor_id: 'u9', actor_name: 'Grace', organization_id: 'o9',
    });
  });
});
