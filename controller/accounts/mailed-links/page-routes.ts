import { z } from 'zod';
import { HTML_CONTENT } from '../../http/exchange.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { viewError, type Page } from '../../pages/layout.ts';
import { mailedVoice, type MailedTexts } from '../../pages/mailed-texts.ts';
import type { AccountDeps } from '../deps.ts';
import { resetPasswordInput } from '../schema.ts';
import { auditActor } from '../views.ts';
import { donePage, resetPage, verifyPage } from './pages.ts';
import { resetPassword, verifyEmail } from './verbs.ts';

const HTML = { contentType: HTML_CONTENT };
const field = z.string().max(1000).default('');
const common = { tag: 'Pages', auth: { access: 'public' }, errorPage: viewError } as const;
/** Mailers add parameters of their own to links. */
const linkQuery = z.looseObject({ token: field });
const link = { ...common, method: 'GET', query: linkQuery, answers: { 200: HTML } } as const;
const form = {
  ...common, method: 'POST', bodyFormat: 'form', summary: 'Submit the form of that page',
} as const;

/**
 * Pages that mailed links open; the console has that of invitations. Only their forms change anything: mail
 * scanners open every link.
 */
export function accountPageRoutes(deps: AccountDeps): Route[] {
  return [
    defineRoute({
      ...link, path: '/verify-email', summary: 'Page that verifies an email address',
      handle: async ({ languages }, { query }) => reply(200, verifyPage(query.token, mailedVoice(languages))),
    }),
    defineRoute({
      ...form, path: '/verify-email', audit: 'email.verified',
      body: z.strictObject({ token: field }), answers: { 200: HTML },
      handle: async (ctx, { body }) => {
        const user = await verifyEmail(deps, ctx, body.token);
        const voice = mailedVoice(ctx.languages);
        const page = donePage(voice.texts.verified, voice.texts.isVerified(user.email), voice);
        return { audit: { actor: auditActor(user) }, ...reply(200, page) };
      },
    }),
    defineRoute({
      ...link, path: '/reset-password', summary: 'Page for choosing a new password',
      handle: async ({ languages }, { query }) => (
        reply(200, resetPage(query.token, null, mailedVoice(languages)))
      ),
    }),
    defineRoute({
      ...form, path: '/reset-password', audit: 'password.reset',
      body: z.strictObject({ token: field, password: field }), answers: { 200: HTML, 400: HTML },
      handle: async (ctx, { body }) => {
        const voice = mailedVoice(ctx.languages);
        const input = resetPasswordInput.safeParse(body);
        if (!input.success) {
          return reply(400, resetPage(body.token, problemOf(input.error, voice.texts), voice));
        }
        const user = await resetPassword(deps, ctx, input.data);
        const page = donePage(voice.texts.changed, voice.texts.changedLong, voice);
        return { audit: { actor: auditActor(user) }, ...reply(200, page) };
      },
    }),
  ];
}

function reply<S extends 200 | 400>(status: S, { html, headers }: Page) {
  return { status, raw: html, headers };
}

function problemOf({ issues }: z.ZodError, { faults }: MailedTexts): string {
  return issues.map(({ path, message }) => faults?.[String(path[0])] ?? message).join('. ');
}
