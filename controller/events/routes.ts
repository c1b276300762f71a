import { defineRoute, type Route } from '../http/routing/route.ts';
import { openEventStream, type EventDeps } from './verbs.ts';

const HEADERS = { 'Cache-Control': 'no-cache, no-store, no-transform', 'X-Accel-Buffering': 'no' };

const description = `Server-sent events of the project: \`result\`, \`monitor.state\`,
\`monitor.region\`, \`incident\`, \`probe\`. Their data is JSON in the form that the API uses for the
resource. \`monitor.changed\` and \`monitor.deleted\` name monitors (\`monitor_ids\`, at most 100) that were
created, changed or deleted, \`group.changed\` and \`group.deleted\` a group (\`group_id\`): read them again.
A repeated event has the same id. Send \`Last-Event-ID\` to resume after a disconnection; the event
\`resync\` means that this was not possible: reload what you show. A comment every 15 seconds keeps the connection open. At most 20
streams per user, and as many per organization as \`limits.event_streams\` of \`GET /api/billing\` says.`;

export function eventRoutes(deps: EventDeps): Route[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/events', tag: 'Live',
      summary: 'Stream the events of the project', description,
      auth: { access: 'project', role: 'viewer' },
      errors: ['FAIR_USE_LIMIT_REACHED'],
      responses: { 200: { contentType: 'text/event-stream; charset=utf-8', isStream: true } },
      handle: async (ctx) => ({ status: 200, stream: await openEventStream(deps, ctx), headers: HEADERS }),
    }),
  ];
}
