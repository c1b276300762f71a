import { defineRoute, ok, type Route } from '../http/routing/route.ts';
import { auditQuery, listChanges, type AuditDeps } from './verbs.ts';
import { auditResponse, viewAuditEntry } from './views.ts';

export function auditRoutes(deps: AuditDeps): Route[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/audit-log', tag: 'Audit log',
      summary: 'List changes and who made them, newest first',
      auth: { access: 'account', organization: 'admin' },
      query: auditQuery, responses: { 200: auditResponse },
      handle: async (ctx, { query }) => {
        const { entries, total } = await listChanges(deps, ctx, query);
        const { page, limit } = query;
        const pagination = { page, limit, total_count: total, has_more: page * limit < total };
        return ok({ entries: entries.map(viewAuditEntry), pagination });
      },
    }),
  ];
}
