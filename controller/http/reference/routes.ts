import { createHash } from 'node:crypto';
import { defineRoute, type Route } from '../route.ts';
import { openApiDocument } from './openapi.ts';
import { referencePage, REFERENCE_STYLE } from './page.ts';

/** The OpenAPI document and the browsable reference of `others` and of these two routes themselves. */
export function referenceRoutes(others: readonly Route[]): Route[] {
  const common = { method: 'GET', tag: 'Reference', auth: { access: 'public' } } as const;
  const styleHash = createHash('sha256').update(REFERENCE_STYLE).digest('base64');
  const style = `style-src 'sha256-${styleHash}'`;
  const policy = `default-src 'none'; ${style}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
  const own: Route[] = [
    defineRoute({
      ...common, path: '/api/openapi.json', summary: 'OpenAPI 3.1 document of this API',
      answers: { 200: { contentType: 'application/json; charset=utf-8' } },
      handle: async () => ({ status: 200, raw: documentText() }),
    }),
    defineRoute({
      ...common, path: '/api/docs', summary: 'Browsable reference of this API',
      answers: { 200: { contentType: 'text/html; charset=utf-8' } },
      handle: async () => ({ status: 200, raw: pageText(), headers: { 'Content-Security-Policy': policy } }),
    }),
  ];
  const document = once(() => openApiDocument([...others, ...own]));
  const documentText = once(() => JSON.stringify(document()));
  const pageText = once(() => referencePage(document()));
  return own;
}

/** The routes never change, so neither do the texts made of them. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
