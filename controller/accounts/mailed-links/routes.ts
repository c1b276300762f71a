import { defineRoute, ok, type Route } from '../../http/routing/route.ts';
import { loginResponse, messageResponse, openInvitationResponse } from '../responses.ts';
import type { AccountDeps } from '../deps.ts';
import { acceptInvitation, readInvitation } from '../invitations/verbs/accept.ts';
import { acceptInvitationInput, emailInput, resetPasswordInput, tokenInput } from '../schema.ts';
import { withSignedIn } from '../sessions/session-response.ts';
import { auditActor } from '../views.ts';
import { forgotPassword, resendVerification, resetPassword, verifyEmail } from './verbs.ts';

const MAIL_RULE = 'The response does not reveal whether the account exists. Each address receives at most '
  + 'five emails an hour.';

/** Mailed links verify an address, reset a password or accept an invitation. */
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
    defineRoute({
      ...common, path: '/api/auth/read-invitation', summary: 'Read an invitation with its token from the email',
      description: 'Returns what to show before it is accepted. It stays open.',
      audit: false, body: tokenInput, responses: { 200: openInvitationResponse },
      handle: async (ctx, { body }) => ok({ invitation: await readInvitation(deps, ctx, body.token) }),
    }),
    defineRoute({
      ...common, path: '/api/auth/accept-invitation', summary: 'Join an organization with a token from an email',
      description: 'Creates an account with this name and password. If the address already has an account, '
        + '`password` must be its password, and the account does not change.',
      audit: 'invitation.accepted', body: acceptInvitationInput,
      errors: ['INVALID_CREDENTIALS', 'RESOURCE_ALREADY_EXISTS', 'CONFLICT'], responses: { 200: loginResponse },
      handle: async (ctx, { body }) => {
        const { organizationId, ...signedIn } = await acceptInvitation(deps, ctx, body);
        const audit = { actor: auditActor(signedIn.user), organizationId };
        return { status: 200, audit, ...withSignedIn(ctx, signedIn) };
      },
    }),
  ];
}
