import { z } from 'zod';
import { HTML_CONTENT } from '../../http/routing/exchange.ts';
import { defineRoute, ok, type Route } from '../../http/routing/route.ts';
import { viewError } from '../../pages/layout.ts';
import { localizeMailPage } from '../../pages/mail-page-texts.ts';
import { INCIDENT_STATUSES } from '../incident.ts';
import { acknowledgePage } from './page.ts';
import { acknowledgeByLink, readLinkedIncident, type AcknowledgeDeps } from './verbs.ts';

const token = z.string().max(1000);
const page = {
  tag: 'Pages', path: '/acknowledge', auth: { access: 'public' }, errorPage: viewError,
  // Loose because email programs add their own parameters to links.
  query: z.looseObject({ token: token.default('') }),
  responses: { 200: { contentType: HTML_CONTENT } },
} as const;
const AUDIT = 'incident.acknowledged';

/**
 * Acknowledging from an alert. The token is the credential, so neither a session nor a form token is needed.
 * GET changes nothing, because mail scanners open every link.
 */
export function acknowledgeRoutes(deps: AcknowledgeDeps): Route[] {
  return [
    defineRoute({
      ...page, method: 'GET', summary: 'Page for acknowledging the incident of an alert',
      handle: async ({ languages }, { query }) => {
        const linked = await readLinkedIncident(deps, query.token);
        const { html: raw, headers } = acknowledgePage(query.token, linked, localizeMailPage(languages));
        return { status: 200, raw, headers };
      },
    }),
    defineRoute({
      ...page, method: 'POST', summary: 'Acknowledge the incident of an alert on its page', audit: AUDIT,
      handle: async (ctx, { query }) => {
        const done = await acknowledgeByLink(deps, ctx, query.token);
        const { html: raw, headers } = acknowledgePage(query.token, done, localizeMailPage(ctx.languages));
        return { status: 200, raw, headers, audit: auditOf(done) };
      },
    }),
    defineRoute({
      tag: 'Incidents', auth: page.auth, method: 'POST', path: '/api/public/incidents/acknowledge', audit: AUDIT,
      summary: 'Acknowledge the incident of an alert',
      description: 'With the token in the `acknowledge_url` of an alert, which is valid until the incident ends. '
        + 'Repeating the request changes nothing.',
      body: z.strictObject({ token }),
      responses: { 200: z.strictObject({
        incident: z.strictObject({ id: z.uuid(), status: z.enum(INCIDENT_STATUSES) }),
      }) },
      handle: async (ctx, { body }) => {
        const done = await acknowledgeByLink(deps, ctx, body.token);
        const { _id: id, status } = done.incident;
        return { ...ok({ incident: { id, status } }), audit: auditOf(done) };
      },
    }),
  ];
}

/** Null if the request changed nothing, since anyone with the link can repeat it. */
function auditOf({ incident, recipient, isChanged }: Awaited<ReturnType<typeof acknowledgeByLink>>) {
  if (!isChanged) return null;
  const actor = { type: 'none', id: null, name: recipient.name } as const;
  return { actor, organizationId: incident.organization_id, resourceId: incident._id };
}
