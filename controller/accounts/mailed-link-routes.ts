import { defineRoute, type Route } from '../http/route.ts';
import type { AccountDeps } from './deps.ts';
import { acceptInvitationInput, emailInput, loginAnswer, messageAnswer, resetPasswordInput, tokenInput } from './schema.ts';
import { acceptInvitation } from './verbs/accept-invitation.ts';
import { forgotPassword, resetPassword } from './verbs/reset-password.ts';
import { resendVerification, verifyEmail } from './verbs/verify-email.ts';
import { auditActor, viewOrganizations, viewSession, viewUser } from './views.ts';

/** What mailed links are for: verifying an address, choosing a password, joining an organization. */
export function mailedLinkRoutes(deps: AccountDeps): Route[] {
  const common = { method: 'POST', tag: 'Accounts', auth: { access: 'public' } } as const;
  return [
    defineRoute({
      ...common, path: '/api/auth/verify-email', summary: 'Verify an e-mail address with a mailed token', audit: 'email.verified',
      body: tokenInput, answers: { 200: messageAnswer },
      handle: async (ctx, { body }) => {
        const user = await verifyEmail(deps, ctx, body.token);
        return { status: 200, data: { message: 'E-mail address verified' }, audit: { actor: auditActor(user) } };
      },
    }),
    defineRoute({
      ...common, path: '/api/auth/resend-verification', summary: 'Mail the verification link again', audit: false,
      description: 'The response does not reveal whether the account exists. An address receives at most '
        + 'five mails an hour.',
      body: emailInput, answers: { 200: messageAnswer },
      handle: async (ctx, { body }) => {
        resendVerification(deps, ctx, body.email);
        return { status: 200, data: { message: 'If this address has an account that is not verified, a mail is on its way' } };
      },
    }),
    defineRoute({
      ...common, path: '/api/auth/forgot-password', summary: 'Mail a link for choosing a new password', audit: false,
      description: 'The response does not reveal whether the account exists. An address receives at most '
        + 'five mails an hour.',
      body: emailInput, answers: { 200: messageAnswer },
      handle: async (ctx, { body }) => {
        forgotPassword(deps, ctx, body.email);
        return { status: 200, data: { message: 'If this address has an account, a mail is on its way' } };
      },
    }),
    defineRoute({
      ...common, path: '/api/auth/reset-password', summary: 'Choose a new password with a mailed token', audit: 'password.reset',
      description: 'Ends every session of the account and verifies its address.',
      body: resetPasswordInput, answers: { 200: messageAnswer },
      handle: async (ctx, { body }) => {
        const user = await resetPassword(deps, ctx, body);
        return { status: 200, data: { message: 'Password changed; please sign in' }, audit: { actor: auditActor(user) } };
      },
    }),
    defineRoute({
      ...common, path: '/api/auth/accept-invitation', summary: 'Join an organization with a mailed token', audit: 'invitation.accepted',
      description: 'Creates an account with this name and password. If the address already has an account, '
        + '`password` must be its password, and the account does not change.',
      body: acceptInvitationInput, errors: ['INVALID_CREDENTIALS', 'RESOURCE_ALREADY_EXISTS', 'CONFLICT'], answers: { 200: loginAnswer },
      handle: async (ctx, { body }) => {
        const { user, session, organizationId, ...belongings } = await acceptInvitation(deps, ctx, body);
        const data = { user: viewUser(user), organizations: viewOrganizations(belongings), ...viewSession(session) };
        return { status: 200, data, audit: { actor: auditActor(user), organizationId } };
      },
    }),
  ];
}
