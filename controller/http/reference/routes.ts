import { createHash } from 'node:crypto';
import { openApiDocument } from './openapi.ts';
import { referenceSchema } from './reference.ts';
import { referencePage, REFERENCE_STYLE } from './page.ts';
import { defineRoute, type Route } from '../route.ts';

/** The machine-readable and the browsable reference of `others` and of themselves. */
export function referenceRoutes(others: readonly Route[]): Route[] {
  const own: Route[] = [];
  const styleHash = createHash('sha256').update(REFERENCE_STYLE).digest('base64');
  own.push(
    defineRoute({
      method: 'GET',
      path: '/api/openapi.json',
      summary: 'OpenAPI 3.1 document of this API',
      tag: 'Reference',
      auth: { access: 'public' },
      answers: { 200: { contentType: 'application/json; charset=utf-8' } },
      handle: async () => ({ status: 200, raw: documentText() }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/docs',
      summary: 'Browsable reference of this API',
      tag: 'Reference',
      auth: { access: 'public' },
      answers: { 200: { contentType: 'text/html; charset=utf-8' } },
      handle: async () => ({
        status: 200,
        raw: pageText(),
        headers: { 'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'` },
      }),
    }),
  );
  const document = once(() => openApiDocument([...others, ...own]));
  const documentText = once(() => JSON.stringify(document()));
  const pageText = once(() => referencePage(referenceSchema.parse(document())));
  return own;
}

/** The routes do not change while we run, so neither do the texts made of them. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
