import { toYaml } from '../http/body/yaml.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { CONCEALMENT } from '../monitors/settings/sent-settings.ts';
import { exportResponse, importResponse } from './responses.ts';
import type { ConfigurationDeps } from './deps.ts';
import { documentInput, exportQuery, importQuery } from './schema.ts';
import { exportDocument } from './verbs/export-document.ts';
import { importDocument } from './verbs/import-document.ts';

const tag = 'Import and export';

export function configurationRoutes(deps: ConfigurationDeps): Route[] {
  return [
    defineRoute({
      method: 'POST', path: '/api/import', tag, auth: { access: 'project', role: 'editor' },
      summary: 'Import monitors, groups and status pages from a document',
      description: 'JSON or YAML up to 32 MB. Monitors and groups are matched by name, status pages by their '
        + 'subdomain, or by name without one. Only project admins can import status pages. Anything that is not in '
        + 'the document stays unchanged. Importing the same document twice changes '
        + 'nothing. Everything is validated before anything is written. Imports and exports of one '
        + 'organization run one after another.',
      audit: 'configuration.imported',
      query: importQuery,
      ...documentInput(deps.monitors.minIntervalSeconds),
      bodyFormat: 'document', takesTurns: true,
      errors: [
        'VALIDATION_FAILED', 'INTERVAL_TOO_SHORT', 'PLAN_LIMIT_EXCEEDED', 'FAIR_USE_LIMIT_REACHED',
        'MONITOR_LIMIT_REACHED', 'CONFLICT', 'MONITOR_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'DUPLICATE_NAME',
        'CIRCULAR_REFERENCE', 'MAX_DEPTH_EXCEEDED', 'INSUFFICIENT_PLAN', 'SLUG_ALREADY_TAKEN', 'ACCESS_DENIED',
      ],
      responses: { 200: importResponse },
      handle: async (ctx, { query, body }) => {
        const { groups, monitors, status_pages } = await importDocument(deps, ctx, body, query.dry_run);
        const items = [...groups, ...monitors, ...status_pages];
        const count = (action: string) => items.filter((item) => item.action === action).length;
        const summary = { created: count('create'), updated: count('update'), unchanged: count('unchanged') };
        return { status: 200, data: { dry_run: query.dry_run, summary, groups, monitors, status_pages } };
      },
    }),
    defineRoute({
      method: 'GET', path: '/api/export', tag, auth: { access: 'project', role: 'viewer' },
      summary: 'Export monitors, groups and status pages as a document', audit: 'configuration.exported',
      description: 'Contains the same fields as reading monitors, except heartbeat tokens. '
        + `${CONCEALMENT} An import cannot create a monitor from a document that lacks its credentials.`,
      query: exportQuery, takesTurns: true,
      responses: { 200: { contentType: 'application/yaml; charset=utf-8', data: exportResponse } },
      handle: async (ctx, { query }) => {
        const data = await exportDocument(deps, ctx, query.offset);
        return query.format === 'yaml' ? { status: 200, raw: await toYaml(data) } : { status: 200, data };
      },
    }),
  ];
}
