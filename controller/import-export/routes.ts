import { defineRoute, type Route } from '../http/route.ts';
import { toYaml } from '../http/body/yaml.ts';
import { exportAnswer, importAnswer } from './answers.ts';
import type { ConfigurationDeps } from './deps.ts';
import { documentInput, documentParser, exportQuery, importQuery } from './schema.ts';
import { exportDocument } from './verbs/export-document.ts';
import { importDocument, type ImportOutcome } from './verbs/import-document.ts';

const YAML_CONTENT = 'application/yaml; charset=utf-8';

/** A project's monitors and groups as one document, out and in. */
export function configurationRoutes(deps: ConfigurationDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/import',
      summary: 'Import monitors and groups from a document',
      description: 'JSON or YAML up to 32 MB. Monitors and groups are matched by name. Fields, monitors and groups that are not in the document stay as they are. '
        + 'Importing the same document twice changes nothing. Everything is validated before anything is written.',
      tag: 'Import and export',
      auth: { access: 'project', role: 'editor' },
      audit: 'configuration.imported',
      query: importQuery,
      body: documentInput(deps.monitors.minIntervalSeconds),
      parseBody: documentParser(deps.monitors.minIntervalSeconds),
      bodyFormat: 'document',
      errors: [
        'VALIDATION_FAILED', 'INTERVAL_TOO_SHORT', 'PLAN_LIMIT_EXCEEDED', 'FAIR_USE_LIMIT_REACHED', 'MONITOR_LIMIT_REACHED', 'CONFLICT', 'MONITOR_NOT_FOUND',
        'RESOURCE_NOT_FOUND', 'DUPLICATE_NAME', 'CIRCULAR_REFERENCE', 'MAX_DEPTH_EXCEEDED',
      ],
      answers: { 200: importAnswer },
      handle: async (ctx, { query, body }) => {
        const outcome = await importDocument(deps, ctx, body, query.dry_run);
        return { status: 200, data: { dry_run: query.dry_run, summary: summaryOf(outcome), ...outcome } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/export',
      summary: 'Export monitors and groups as a document',
      description: 'Contains what reading monitors returns, including passwords and tokens that checks '
        + 'send, but no heartbeat tokens.',
      tag: 'Import and export',
      auth: { access: 'project', role: 'viewer' },
      query: exportQuery,
      answers: { 200: { contentType: YAML_CONTENT, data: exportAnswer } },
      handle: async (ctx, { query }) => {
        const document = await exportDocument(deps, ctx, query.offset);
        return query.format === 'yaml' ? { status: 200, raw: await toYaml(document) } : { status: 200, data: document };
      },
    }),
  ];
}

function summaryOf({ groups, monitors }: ImportOutcome): { created: number; updated: number; unchanged: number } {
  const count = (action: string) => [...groups, ...monitors].filter((item) => item.action === action).length;
  return { created: count('create'), updated: count('update'), unchanged: count('unchanged') };
}
