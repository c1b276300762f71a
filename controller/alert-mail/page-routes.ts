import { z } from 'zod';
import { HTML_CONTENT } from '../http/routing/exchange.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { viewError, type Page } from '../pages/layout.ts';
import { localizeMailPage } from '../pages/mail-page-texts.ts';
import { recipientPage, resumedPage } from './pages.ts';
import {
  readRecipient, resumeAlertMail, stopAlertMail, type AlertMailDeps, type RecipientState,
} from './verbs.ts';

const HTML = { contentType: HTML_CONTENT };
const common = {
  tag: 'Pages', auth: { access: 'public' }, errorPage: viewError,
  // Loose because email programs add their own parameters to links.
  query: z.looseObject({ token: z.string().max(1000).default('') }),
  responses: { 200: HTML },
} as const;

/**
 * Pages on which recipients stop alert mails. GET changes nothing, because mail scanners open every link.
 * Bodies are ignored: email programs post their own form (RFC 8058), as multipart or urlencoded.
 */
export function alertMailRoutes(deps: AlertMailDeps): Route[] {
  return [
    defineRoute({
      ...common, method: 'GET', path: '/stop-alerts', summary: 'Page for stopping alert emails',
      handle: async ({ languages }, { query: { token } }) => {
        const state = await readRecipient(deps, token);
        return { status: 200, ...pageResponse(recipientPage(token, state, localizeMailPage(languages))) };
      },
    }),
    defineRoute({
      ...common, method: 'POST', path: '/stop-alerts', summary: 'Stop alert emails to an address',
      description: 'Used by the button on that page and by one-click requests from email programs (RFC 8058).',
      audit: 'recipient.suppressed',
      handle: async (ctx, { query: { token } }) => {
        const state = await stopAlertMail(deps, ctx, token);
        const page = recipientPage(token, state, localizeMailPage(ctx.languages));
        return { status: 200, audit: auditOf(state), ...pageResponse(page) };
      },
    }),
    defineRoute({
      ...common, method: 'POST', path: '/resume-alerts', summary: 'Resume alert emails to an address',
      audit: 'recipient.resumed',
      handle: async ({ languages }, { query: { token } }) => {
        const state = await resumeAlertMail(deps, token);
        const page = resumedPage(token, state, localizeMailPage(languages));
        return { status: 200, audit: auditOf(state), ...pageResponse(page) };
      },
    }),
  ];
}

/** Null if the request changed nothing, since anyone with the link can repeat it. */
function auditOf({ isChanged, organizationId, address }: RecipientState) {
  return isChanged ? { actor: { type: 'none', id: null, name: address } as const, organizationId } : null;
}

function pageResponse({ html, headers }: Page) {
  return { raw: html, headers };
}
