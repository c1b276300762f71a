import { defineRoute, type Route } from '../http/route.ts';
import { auditAnswer, auditQuery } from './schema.ts';
import { listChanges, type AuditDeps } from './verbs.ts';
import { viewAuditEntry } from './views.ts';

/** Who changed what in an organization. */
export function auditRoutes(deps: AuditDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/audit-log',
      summary: 'List who changed what, newest first',
      tag: 'Audit log',
      auth: { access: 'account', organization: 'admin' },
      query: auditQuery,
      answers: { 200: auditAnswer },
      handle: async (ctx, { query }) => {
        const { page, limit } = query;
        const { entries, total } = await listChanges(deps, ctx, query);
        return { status: 200, data: { entries: entries.map(viewAuditEntry), pagination: { page, limit, total_count: total, has_more: page * limit < total } } };
      },
    }),
  ];
}
