import { defineRoute, messageResponse, ok, type Route } from '../../http/routing/route.ts';
import type { AccountDeps } from '../deps.ts';
import { emailInput, resetPasswordInput, tokenInput } from '../schema.ts';
import { auditActor } from '../views.ts';
import { forgotPassword, resendVerification, resetPassword, verifyEmail } from './verbs.ts';

const MAIL_RULE = 'The response does not reveal whether the account exists. Each address receives at most '
  + 'five emails an hour.';

/** Verifying an address and resetting a password with mailed links. */
export function mailedLinkRoutes(deps: AccountDeps): Route[] {
  const common = { method: 'POST', tag: 'Accounts', auth: { access: 'public' } } as const;
  return [
    defineRoute({
      ...common, path: '/api/auth/verify-email', summary: 'Verify an email address with a token from an email',
      audit: 'email.verified', body: tokenInput, responses: { 200: messageResponse },
      handle: async (ctx, { body }) => {
        const actor = auditActor(await verifyEmail(deps, ctx, body.token));
        return { status: 200, data: { message: 'Email address verified' }, audit: { actor } };
      },
    }),
    defineRoute({
      ...common, path: '/api/auth/resend-verification', summary: 'Send the verification link again',
      description: MAIL_RULE, audit: false, body: emailInput, responses: { 200: messageResponse },
      handle: async (ctx, { body }) => {
        resendVerification(deps, ctx, body.email);
        const message = 'If this address has an unverified account, we have sent an email to it';
        return ok({ message });
      },
    }),
    defineRoute({
      ...common, path: '/api/auth/forgot-password', summary: 'Send a link for choosing a new password',
      description: MAIL_RULE, audit: false, body: emailInput, responses: { 200: messageResponse },
      handle: async (ctx, { body }) => {
        forgotPassword(deps, ctx, body.email);
        return ok({ message: 'If this address has an account, we have sent an email to it' });
      },
    }),
    defineRoute({
      ...common, path: '/api/auth/reset-password', summary: 'Choose a new password with a token from an email',
      description: 'Ends every session of the account and verifies its address.',
      audit: 'password.reset', body: resetPasswordInput, responses: { 200: messageResponse },
      handle: async (ctx, { body }) => {
        const actor = auditActor(await resetPassword(deps, ctx, body));
        const message = 'Password changed; sign in with the new password';
        return { status: 200, data: { message }, audit: { actor } };
      },
    }),
  ];
}
