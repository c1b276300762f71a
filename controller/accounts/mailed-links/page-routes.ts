import { z } from 'zod';
import { HTML_CONTENT } from '../../http/routing/exchange.ts';
import { defineRoute, type Route } from '../../http/routing/route.ts';
import { viewError, type Page } from '../../pages/layout.ts';
import { localizeMailPage, type MailPageTexts } from '../../pages/mail-page-texts.ts';
import type { AccountDeps } from '../deps.ts';
import { resetPasswordInput } from '../schema.ts';
import { auditActor } from '../views.ts';
import { donePage, resetPage, verifyPage } from './pages.ts';
import { resetPassword, verifyEmail } from './verbs.ts';

const HTML = { contentType: HTML_CONTENT };
const field = z.string().max(1000).default('');
const common = { tag: 'Pages', auth: { access: 'public' }, errorPage: viewError } as const;
/** Loose because email programs add their own parameters to links. */
const linkQuery = z.looseObject({ token: field });
const link = { ...common, method: 'GET', query: linkQuery, responses: { 200: HTML } } as const;
const form = {
  ...common, method: 'POST', bodyFormat: 'form', summary: 'Submit the form of that page',
} as const;

/**
 * Pages behind mailed links, except invitations, whose page belongs to the console. GET changes nothing,
 * because mail scanners open every link.
 */
export function accountPageRoutes(deps: AccountDeps): Route[] {
  return [
    defineRoute({
      ...link, path: '/verify-email', summary: 'Page that verifies an email address',
      handle: async ({ languages }, { query }) => {
        return pageResponse(200, verifyPage(query.token, localizeMailPage(languages)));
      },
    }),
    defineRoute({
      ...form, path: '/verify-email', audit: 'email.verified',
      body: z.strictObject({ token: field }), responses: { 200: HTML },
      handle: async (ctx, { body }) => {
        const user = await verifyEmail(deps, ctx, body.token);
        const localized = localizeMailPage(ctx.languages);
        const { verified, isVerified } = localized.texts;
        const page = donePage(verified, isVerified(user.email), localized);
        return { audit: { actor: auditActor(user) }, ...pageResponse(200, page) };
      },
    }),
    defineRoute({
      ...link, path: '/reset-password', summary: 'Page for choosing a new password',
      handle: async ({ languages }, { query }) => (
        pageResponse(200, resetPage(query.token, null, localizeMailPage(languages)))
      ),
    }),
    defineRoute({
      ...form, path: '/reset-password', audit: 'password.reset',
      body: z.strictObject({ token: field, password: field }), responses: { 200: HTML, 400: HTML },
      handle: async (ctx, { body }) => {
        const localized = localizeMailPage(ctx.languages);
        const input = resetPasswordInput.safeParse(body);
        if (!input.success) {
          const problem = problemOf(input.error, localized.texts);
          return pageResponse(400, resetPage(body.token, problem, localized));
        }
        const user = await resetPassword(deps, ctx, input.data);
        const page = donePage(localized.texts.changed, localized.texts.changedLong, localized);
        return { audit: { actor: auditActor(user) }, ...pageResponse(200, page) };
      },
    }),
  ];
}

function pageResponse<S extends 200 | 400>(status: S, { html, headers }: Page) {
  return { status, raw: html, headers };
}

function problemOf({ issues }: z.ZodError, { faults }: MailPageTexts): string {
  return issues.map(({ path, message }) => faults?.[String(path[0])] ?? message).join('. ');
}
