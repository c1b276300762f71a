import type { GroupDeps } from '../groups/deps.ts';
import { toYaml } from '../http/body/yaml.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { CONCEALMENT } from '../monitors/settings/http-credentials.ts';
import { exportAnswer, importAnswer } from './answers.ts';
import { documentInput, exportQuery, importQuery } from './schema.ts';
import { exportDocument } from './verbs/export-document.ts';
import { importDocument } from './verbs/import-document.ts';

const tag = 'Import and export';

/** A project's monitors and groups as one document. */
export function configurationRoutes(deps: GroupDeps): Route[] {
  return [
    defineRoute({
      method: 'POST', path: '/api/import', tag, auth: { access: 'project', role: 'editor' },
      summary: 'Import monitors and groups from a document',
      description: 'JSON or YAML up to 32 MB. Monitors and groups are matched by name. Fields, monitors and '
        + 'groups that are not in the document stay as they are. Importing the same document twice changes '
        + 'nothing. Everything is validated before anything is written. Imports and exports of one '
        + 'organization run one after another.',
      audit: 'configuration.imported',
      query: importQuery,
      ...documentInput(deps.monitors.minIntervalSeconds),
      bodyFormat: 'document', takesTurns: true,
      errors: [
        'VALIDATION_FAILED', 'INTERVAL_TOO_SHORT', 'PLAN_LIMIT_EXCEEDED', 'FAIR_USE_LIMIT_REACHED',
        'MONITOR_LIMIT_REACHED', 'CONFLICT', 'MONITOR_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'DUPLICATE_NAME',
        'CIRCULAR_REFERENCE', 'MAX_DEPTH_EXCEEDED',
      ],
      answers: { 200: importAnswer },
      handle: async (ctx, { query, body }) => {
        const { groups, monitors } = await importDocument(deps, ctx, body, query.dry_run);
        const items = [...groups, ...monitors];
        const count = (action: string) => items.filter((item) => item.action === action).length;
        const summary = { created: count('create'), updated: count('update'), unchanged: count('unchanged') };
        return { status: 200, data: { dry_run: query.dry_run, summary, groups, monitors } };
      },
    }),
    defineRoute({
      method: 'GET', path: '/api/export', tag, auth: { access: 'project', role: 'viewer' },
      summary: 'Export monitors and groups as a document',
      description: 'Contains what reading monitors returns, but no heartbeat tokens. '
        + `${CONCEALMENT} An import cannot create a monitor from a document that lacks its credentials.`,
      query: exportQuery, takesTurns: true,
      answers: { 200: { contentType: 'application/yaml; charset=utf-8', data: exportAnswer } },
      handle: async (ctx, { query }) => {
        const data = await exportDocument(deps, ctx, query.offset);
        return query.format === 'yaml' ? { status: 200, raw: await toYaml(data) } : { status: 200, data };
      },
    }),
  ];
}
