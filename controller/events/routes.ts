import { defineRoute, type Route } from '../http/route.ts';
import { openEventStream, type EventDeps } from './verbs.ts';

const HEADERS = { 'Cache-Control': 'no-cache, no-store, no-transform', 'X-Accel-Buffering': 'no' };

const description = `Server-sent events of the project: \`result\`, \`monitor.state\`, \`incident\`, \`probe\`. Their data is JSON, as the API shows the resource.
An event that comes twice has the same id. Send \`Last-Event-ID\` to go on after a break; the event \`resync\` says that this was not
possible: read anew what you show. A comment every 15 seconds keeps the connection. At most 20 streams per user.`;

/** Live events. */
export function eventRoutes(deps: EventDeps): Route[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/events', summary: 'Follow what happens in the project', tag: 'Live', description,
      auth: { access: 'project', role: 'viewer' },
      errors: ['FAIR_USE_LIMIT_REACHED'],
      answers: { 200: { contentType: 'text/event-stream; charset=utf-8', isStream: true } },
      handle: async (ctx) => ({ status: 200, stream: openEventStream(deps, ctx), headers: HEADERS }),
    }),
  ];
}
