import { defineRoute, ok, type Route } from '../http/routing/route.ts';
import { convertResponse } from './responses.ts';
import { convertQuery, fileInput } from './schema.ts';
import { convertUpload, type MovingDeps } from './verbs/convert-upload.ts';

export function movingRoutes(deps: MovingDeps): Route[] {
  return [
    defineRoute({
      method: 'POST', path: '/api/import/convert', tag: 'Import and export',
      auth: { access: 'project', role: 'editor' }, audit: false,
      summary: 'Convert a file of another tool to a document for an import',
      description: '`kuma`: the SQLite file of Uptime Kuma 1.23 or 2.x, or the JSON backup of 1.x. `gatus`: its '
        + 'YAML. `uptimerobot`, `betterstack`, `healthchecks`: the JSON of their list API; several pages are a '
        + 'list of responses. `blackbox`: the files of Prometheus and of its Blackbox exporter, as two YAML '
        + 'documents. `csv`: a table with the columns `name,type,target,interval_seconds,group,tags`. Stores '
        + 'nothing.',
      query: convertQuery, body: fileInput, bodyFormat: 'file', takesTurns: true,
      responses: { 200: convertResponse },
      handle: async (ctx, { query, body }) =>
        ok(await convertUpload(deps, ctx, query.from, body as Uint8Array)),
    }),
  ];
}
