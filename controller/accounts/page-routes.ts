import { z } from 'zod';
import { AppError } from '../../shared/errors.ts';
import { HTML_CONTENT } from '../http/exchange.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { viewError, type Page } from '../pages/layout.ts';
import type { AccountDeps } from './deps.ts';
import { acceptPage, joinedPage, passwordChangedPage, resetPage, verifiedPage, verifyPage } from './pages.ts';
import { acceptInvitationInput, PASSWORD_RULE, resetPasswordInput } from './schema.ts';
import { acceptInvitation, readInvitation } from './verbs/accept-invitation.ts';
import { resetPassword } from './verbs/reset-password.ts';
import { verifyEmail } from './verbs/verify-email.ts';
import { auditActor } from './views.ts';

const field = z.string().max(1000).default('');
/** Mailers add parameters of their own to links. */
const linkQuery = z.looseObject({ token: field });
const HTML = { contentType: HTML_CONTENT };

/** The pages that mailed links open. Opening one changes nothing, since mail scanners open every link; its form does. */
export function accountPageRoutes(deps: AccountDeps): Route[] {
  return [...verifyRoutes(deps), ...resetRoutes(deps), ...acceptRoutes(deps)];
}

const shown = { method: 'GET', tag: 'Pages', auth: { access: 'public' }, query: linkQuery, errorPage: viewError, answers: { 200: HTML } } as const;
const sent = { method: 'POST', tag: 'Pages', auth: { access: 'public' }, bodyFormat: 'form', errorPage: viewError } as const;

function verifyRoutes(deps: AccountDeps): Route[] {
  return [
    defineRoute({
      ...shown, path: '/verify-email', summary: 'Page that verifies an e-mail address',
      handle: async (_ctx, { query }) => show(verifyPage(query.token)),
    }),
    defineRoute({
      ...sent, path: '/verify-email', summary: 'Submit the form of that page', audit: 'email.verified', body: z.strictObject({ token: field }), answers: { 200: HTML },
      handle: async (ctx, { body }) => {
        const user = await verifyEmail(deps, ctx, body.token);
        return { ...show(verifiedPage(user.email)), audit: { actor: auditActor(user) } };
      },
    }),
  ];
}

function resetRoutes(deps: AccountDeps): Route[] {
  return [
    defineRoute({
      ...shown, path: '/reset-password', summary: 'Page for choosing a new password',
      handle: async (_ctx, { query }) => show(resetPage(query.token, null)),
    }),
    defineRoute({
      ...sent, path: '/reset-password', summary: 'Submit the form of that page', audit: 'password.reset',
      body: z.strictObject({ token: field, password: field }), answers: { 200: HTML, 400: HTML },
      handle: async (ctx, { body }) => {
        const input = resetPasswordInput.safeParse(body);
        if (!input.success) return showAgain(resetPage(body.token, problemOf(input.error)));
        const user = await resetPassword(deps, ctx, input.data);
        return { ...show(passwordChangedPage()), audit: { actor: auditActor(user) } };
      },
    }),
  ];
}

function acceptRoutes(deps: AccountDeps): Route[] {
  return [
    defineRoute({
      ...shown, path: '/accept-invitation', summary: 'Page for joining an organization',
      handle: async (ctx, { query }) => show(acceptPage(query.token, await readInvitation(deps, ctx, query.token), null)),
    }),
    defineRoute({
      ...sent, path: '/accept-invitation', summary: 'Submit the form of that page', audit: 'invitation.accepted',
      body: z.strictObject({ token: field, name: z.string().max(1000).optional(), password: field }), answers: { 200: HTML, 400: HTML, 401: HTML },
      errors: ['INVALID_CREDENTIALS', 'RESOURCE_ALREADY_EXISTS', 'CONFLICT'],
      handle: async (ctx, { body }) => {
        const invitation = await readInvitation(deps, ctx, body.token);
        const input = (invitation.hasAccount ? acceptInvitationInput : newAccountInput).safeParse(body);
        if (!input.success) return showAgain(acceptPage(body.token, invitation, problemOf(input.error)));
        const joined = await acceptInvitation(deps, ctx, input.data).catch(wrongPassword);
        if (joined === null) return { ...showAgain(acceptPage(body.token, invitation, 'The password is wrong')), status: 401 };
        const { user, organizationId } = joined;
        return { ...show(joinedPage(invitation.organizationName)), audit: { actor: auditActor(user), organizationId } };
      },
    }),
  ];
}

/** A new account's password has to follow the rule; a known one's only to be right. */
const newAccountInput = acceptInvitationInput.extend({ password: PASSWORD_RULE });

function wrongPassword(error: unknown): null {
  if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS') return null;
  throw error;
}

function show(page: Page) {
  return { status: 200 as const, raw: page.html, headers: page.headers };
}

function showAgain(page: Page) {
  return { status: 400 as const, raw: page.html, headers: page.headers };
}

function problemOf(error: z.ZodError): string {
  return error.issues.map((issue) => issue.message).join('. ');
}
