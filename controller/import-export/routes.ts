import { toYaml } from '../http/body/yaml.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { CONCEALMENT } from '../monitors/settings/sent-settings.ts';
import { exportResponse, importResponse } from './responses.ts';
import type { ConfigurationDeps } from './deps.ts';
import { documentInput, exportQuery, importQuery, type ImportQuery } from './schema.ts';
import { exportDocument } from './verbs/export-document.ts';
import { importDocument, type Imported } from './verbs/import-document.ts';

const tag = 'Import and export';

export function configurationRoutes(deps: ConfigurationDeps): Route[] {
  return [
    defineRoute({
      method: 'POST', path: '/api/import', tag, auth: { access: 'project', role: 'editor' },
      summary: 'Import monitors and all other settings of a project from a document',
      description: 'JSON or YAML up to 32 MB. Items are matched by name, status pages by their subdomain, or by '
        + 'name without one; the order of items has no meaning. Only project admins can import integrations and '
        + 'status pages. Anything that is not in the document stays unchanged, unless `prune` deletes it. Importing '
        + 'the same document twice changes nothing. Everything is validated before anything is written. If an item '
        + 'has another `owner`, nothing is written either: the response is 409, with `details.conflicts`. Imports of '
        + 'one project run one after another.',
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
        const imported = await importDocument(deps, ctx, body, query);
        const summary = summaryOf(imported, query);
        return { status: 200, data: { dry_run: query.dry_run, summary, ...imported } };
      },
    }),
    defineRoute({
      method: 'GET', path: '/api/export', tag, auth: { access: 'project', role: 'viewer' },
      summary: 'Export monitors and all other settings of a project as a document', audit: 'configuration.exported',
      description: 'Contains everything but history, people and heartbeat tokens. Only project admins get '
        + `integrations, with \`***\` for their secrets. ${CONCEALMENT} An import cannot create an item from a `
        + 'document that lacks its credentials.',
      query: exportQuery, takesTurns: true,
      responses: { 200: { contentType: 'application/yaml; charset=utf-8', data: exportResponse } },
      handle: async (ctx, { query }) => {
        const data = await exportDocument(deps, ctx, query.offset);
        return query.format === 'yaml' ? { status: 200, raw: await toYaml(data) } : { status: 200, data };
      },
    }),
  ];
}

function summaryOf(imported: Imported, { prune }: ImportQuery) {
  const items = Object.values(imported).flat();
  const count = (action: string) => items.filter((item) => item.action === action).length;
  const conflicts = count('conflict');
  return {
    created: count('create'), updated: count('update'), unchanged: count('unchanged'),
    ...(prune && { deleted: count('delete') }), ...(conflicts > 0 && { conflicts }),
  };
}
