import { z } from 'zod';
import { CompressedResponse } from '../responses/compressed-response.ts';
import { JSON_CONTENT, linkBelow } from '../routing/exchange.ts';
import { defineRoute, type Route } from '../routing/route.ts';
import { openApiDocument } from './openapi.ts';
import { PAGE_FILES, PageFiles } from './page-files.ts';
import { PAGE_POLICY, referencePage } from './page.ts';

const FILES = '/api/docs/files';

/** The OpenAPI document and the reference page of `others` and of these two routes. */
export function referenceRoutes(others: readonly Route[]): Route[] {
  const common = { method: 'GET', tag: 'Reference', auth: { access: 'public' } } as const;
  const files = new PageFiles();
  let documentResponse: CompressedResponse | null = null;
  // Built once: routes and the base path never change.
  const document = (basePath?: string) => (documentResponse ??= new CompressedResponse(
    JSON.stringify(openApiDocument([...others, ...own], basePath)),
    { 'Content-Type': JSON_CONTENT, 'Cache-Control': 'no-cache' },
  ));
  const own: Route[] = [
    defineRoute({
      ...common, path: '/api/openapi.json', summary: 'OpenAPI 3.1 document of this API',
      responses: { 200: { contentType: JSON_CONTENT } }, isRevalidated: true,
      handle: async ({ basePath }) => ({ status: 200, compressed: document(basePath) }),
    }),
    defineRoute({
      ...common, path: '/api/docs', summary: 'Interactive reference of this API',
      responses: { 200: { contentType: 'text/html; charset=utf-8' } },
      handle: async ({ basePath }) => ({
        status: 200, raw: linkBelow(referencePage(`${FILES}/${files.version}`), basePath),
        headers: { 'Content-Security-Policy': PAGE_POLICY },
      }),
    }),
    ...(['scripts', 'styles'] as const).map((kind) => {
      const { contentType, names } = PAGE_FILES[kind];
      return defineRoute({
        ...common, path: `${FILES}/:version/${kind}/:file`,
        summary: `${kind === 'scripts' ? 'Scripts' : 'Styles'} of the reference`,
        params: z.strictObject({ version: z.string().regex(/^[0-9a-f]{16}$/), file: z.enum(names) }),
        responses: { 200: { contentType } }, isRevalidated: true,
        handle: async (_ctx, { params: { file, version } }) => ({
          status: 200, compressed: await files.read(kind, file, version),
        }),
      });
    }),
  ];
  return own;
}
