import { z } from 'zod';
import { AppError } from '../../../errors/app-error.ts';
import { defineRoute, type Route } from '../../../http/routing/route.ts';
import { LIVE_SCRIPT, LIVE_SCRIPT_HEADERS, LIVE_SCRIPT_PATH } from './live-script.ts';
import type { PageStreams } from './page-streams.ts';
import type { PageCache } from '../cache/page-cache.ts';
import { publicParams, readPublished } from '../public-routes.ts';

const common = {
  method: 'GET', tag: 'Public status pages', auth: { access: 'public' }, ignoresQuery: true,
} as const;
const STREAM_HEADERS = { 'Cache-Control': 'no-cache, no-store, no-transform', 'X-Accel-Buffering': 'no' };

const description = `Server-sent events: \`version\` at first and whenever the page changes, with an identifier
of its content. Reload the page when the identifier changes. A comment every 15 seconds keeps the connection
open.`;

/** The script and the event stream that keep an open page up to date. */
export function liveRoutes(pages: PageCache, streams: PageStreams): Route[] {
  return [
    defineRoute({
      ...common, path: '/status/:subdomain/events', summary: 'Stream the changes of a published status page',
      description, params: publicParams, errors: ['RESOURCE_NOT_FOUND'],
      responses: { 200: { contentType: 'text/event-stream; charset=utf-8', isStream: true } },
      handle: async (_ctx, { params: { subdomain } }) => {
        await readPublished(pages, subdomain);
        const stream = streams.join(subdomain);
        if (stream === null) throw new AppError('SERVICE_UNAVAILABLE', 'Too many pages are open; try again later');
        return { status: 200 as const, stream, headers: STREAM_HEADERS };
      },
    }),
    defineRoute({
      ...common, path: '/status/assets/scripts/:file', summary: 'Script of status pages',
      params: z.strictObject({ file: z.string().regex(/^live-[0-9a-f]{16}\.js$/) }),
      responses: { 200: { contentType: LIVE_SCRIPT_HEADERS['Content-Type'] } },
      handle: async (_ctx, { params: { file } }) => {
        // During a rolling update, a page of another version may request its own script.
        const isCurrentVersion = LIVE_SCRIPT_PATH.endsWith(`/${file}`);
        const headers = { 'Cache-Control': isCurrentVersion ? LIVE_SCRIPT_HEADERS['Cache-Control'] : 'no-store' };
        return { status: 200 as const, raw: LIVE_SCRIPT, headers };
      },
    }),
  ];
}
