import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { notFound } from '../errors/app-error.ts';
import type { CompressedFiles } from '../http/responses/compressed-files.ts';
import { CompressedResponse } from '../http/responses/compressed-response.ts';
import { HTML_CONTENT, linkBelow } from '../http/routing/exchange.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { SECTIONS } from './sections.ts';

/** Allows scripts, styles and requests of this origin only, and nothing inline. */
const POLICY = [
  `default-src 'none'`, `script-src 'self'`, `style-src 'self'`, `img-src 'self' data:`, `connect-src 'self'`,
  `frame-src 'self'`, `base-uri 'none'`, `form-action 'none'`, `frame-ancestors 'none'`,
].join('; ');
const PAGE_HEADERS = { 'Cache-Control': 'no-cache', 'Content-Security-Policy': POLICY };
/** Names of assets contain a hash of their content. */
const ASSET_HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable' };

const SECTION = new RegExp(`^/(?:${SECTIONS.join('|')})(?:/[^?]*)?(?=\\?|$)`);

/** Rewrites a request for a view to the console's page, which picks the view by the path. */
export function rewriteViewPath(request: IncomingMessage): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && request.url !== undefined) request.url = request.url.replace(SECTION, '/');
}

/** The console's page and its assets. `files`: the build output; null if the console was not built. */
export function consoleRoutes(files: CompressedFiles | null): Route[] {
  const common = { method: 'GET', tag: 'Console', auth: { access: 'public' }, isRevalidated: true } as const;
  const send = (name: string, headers: Record<string, string>) => {
    const compressed = files?.find(name, headers) ?? null;
    if (compressed === null) throw notFound(files === null ? 'The console was not built: its page' : 'File');
    return { status: 200 as const, compressed };
  };
  let pageBelow: CompressedResponse | null = null;
  /** The page of an installation below a path, which it gives to its scripts. */
  const sendBelow = async (basePath: string) => {
    const text = await files?.text('index.html') ?? null;
    if (text === null) return send('index.html', PAGE_HEADERS);
    const page = linkBelow(text, basePath).replace('<html', `<html data-base-path="${basePath}"`);
    const compressed = pageBelow ??= new CompressedResponse(page, { ...PAGE_HEADERS, 'Content-Type': HTML_CONTENT });
    return { status: 200 as const, compressed };
  };
  return [
    defineRoute({
      ...common, path: '/', summary: 'The console, for people with a browser', ignoresQuery: true,
      errors: ['RESOURCE_NOT_FOUND'],
      responses: { 200: { contentType: HTML_CONTENT } },
      handle: async ({ basePath = '' }) => (basePath === '' ? send('index.html', PAGE_HEADERS) : sendBelow(basePath)),
    }),
    defineRoute({
      ...common, path: '/console/assets/:file', summary: 'A script or style of the console',
      params: z.strictObject({ file: z.string().max(100) }), errors: ['RESOURCE_NOT_FOUND'],
      responses: { 200: { contentType: 'text/javascript; charset=utf-8' } },
      handle: async (_ctx, { params: { file } }) => send(file, ASSET_HEADERS),
    }),
  ];
}
