import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { auditEntry, type AuditedRequest } from '../../../controller/http/audit.ts';
import { defineRoute, type AnyReply, type Route } from '../../../controller/http/route.ts';

const route = (path: string, audit: string | false | undefined = 'monitor.created'): Route =>
  defineRoute({
    method: 'POST', path, summary: '', tag: '', auth: { access: 'project', role: 'editor' }, params: z.looseObject({}), body: z.looseObject({}), audit,
    answers: { 200: z.looseObject({}) }, handle: async () => ({ status: 200, data: {} }),
  });

const request = (params: Record<string, string> = {}, body: unknown = {}): AuditedRequest => ({
  context: {
    requestId: 'r1', now: 5, actor: { kind: 'key', keyId: 'k1', name: 'deploy', scope: 'read_write', createdBy: 'u1' }, tenant: { organizationId: 'o1', projectId: 'p1' },
  },
  params, body,
});
const entry = (path: string, reply: AnyReply, params?: Record<string, string>, body?: unknown) => auditEntry(route(path), request(params, body), reply);

describe('the entry of a change', () => {
  test('names who, what, where and the fields, never a value', () => {
    const made = entry('/api/monitors', { status: 201, data: { monitor: { id: 'm1' } } }, {}, { name: 'secret name', http_config: { auth: 'secret' } });
    expect(made).toEqual({
      action: 'monitor.created', actor: { type: 'api_key', id: 'k1', name: 'deploy' }, organizationId: 'o1', projectId: 'p1',
      resource: { type: 'monitor', id: 'm1' }, fields: ['name', 'http_config'], requestId: 'r1', at: 5,
    });
  });

  test.each<[string, AnyReply, Record<string, string>, string | null]>([
    ['/api/a/:id/pause', { status: 200, data: { monitor: { id: 'other' } } }, { id: 'm1' }, 'm1'],
    ['/api/p/:projectId/pages/:id', { status: 200, data: {} }, { projectId: 'p1', id: 'page1' }, 'page1'],
    ['/api/p/:projectId/pages', { status: 201, data: { status_page: { id: 'page2' } } }, { projectId: 'p1' }, 'page2'],
    ['/api/groups', { status: 201, data: { id: 'g1' } }, {}, 'g1'],
    ['/api/bulk', { status: 200, data: { ids: ['a'] } }, {}, null],
    ['/api/raw', { status: 200, raw: 'text' }, {}, null],
  ])('of %s that answers %j is about the right one', (path, reply, params, id) => {
    expect(entry(path, reply, params)?.resource.id).toBe(id);
  });

  test('is made of successes of routes that declare it only', () => {
    expect(auditEntry(route('/api/a', false), request(), { status: 200 })).toBeNull();
    expect(auditEntry({ ...route('/api/a'), audit: undefined }, request(), { status: 200 })).toBeNull();
    expect(entry('/api/a', { status: 400, raw: '' })).toBeNull();
  });

  test('is bounded, whatever was sent', () => {
    const body = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${at}${'x'.repeat(200)}`, 1]));
    const { fields } = entry('/api/a', { status: 200 }, {}, body) as { fields: string[] };
    expect(fields).toHaveLength(50);
    expect(Math.max(...fields.map((name) => name.length))).toBe(64);
    expect(entry('/api/a', { status: 200 }, {}, 'text')?.fields).toEqual([]);
  });

  test('can be told by its handler who it turned out to be', () => {
    const actor = { type: 'user' as const, id: 'u9', name: 'Grace' };
    expect(entry('/api/a', { status: 200, audit: { actor, organizationId: 'o9' } })).toMatchObject({ actor, organizationId: 'o9' });
  });
});
