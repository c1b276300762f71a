import { idParams } from '../../http/input/validation.ts';
import { created, defineRoute, messageResponse, okMessage, ok, type Route } from '../../http/routing/route.ts';
import { invitationResponse, invitationsResponse, loginResponse, openInvitationResponse } from '../responses.ts';
import type { AccountDeps } from '../deps.ts';
import { acceptInvitationInput, invitationInput, tokenInput } from '../schema.ts';
import { withSignedIn } from '../sessions/session-response.ts';
import { auditActor, viewInvitation } from '../views.ts';
import { acceptInvitation, readInvitation } from './verbs/accept.ts';
import { createInvitation, listInvitations, withdrawInvitation } from './verbs/invite.ts';

export function invitationRoutes(deps: AccountDeps): Route[] {
  const path = '/api/organization/invitations';
  const common = { path, tag: 'Organization', auth: { access: 'account', organization: 'admin' } } as const;
  return [
    defineRoute({
      ...common, method: 'GET', summary: 'List invitations, newest first',
      responses: { 200: invitationsResponse },
      handle: async (ctx) => ok({
        invitations: (await listInvitations(deps, ctx)).map((one) => viewInvitation(one, ctx.now)),
      }),
    }),
    defineRoute({
      ...common, method: 'POST', summary: 'Invite a person by email', audit: 'invitation.created',
      description: 'The link in the email works once and expires after seven days. `project_roles` applies to the role '
        + '`member`. An organization can send at most 30 invitations an hour; with `429`, `Retry-After` says when the '
        + 'next one is possible.',
      body: invitationInput, errors: ['RESOURCE_ALREADY_EXISTS', 'FAIR_USE_LIMIT_REACHED'],
      responses: { 201: invitationResponse },
      handle: async (ctx, { body }) => created({
        invitation: viewInvitation(await createInvitation(deps, ctx, body), ctx.now),
      }),
    }),
    defineRoute({
      ...common, method: 'DELETE', path: `${path}/:id`, summary: 'Withdraw an invitation',
      audit: 'invitation.withdrawn', params: idParams,
      errors: ['RESOURCE_NOT_FOUND'], responses: { 200: messageResponse },
      handle: (ctx, { params }) => okMessage(withdrawInvitation(deps, ctx, params.id), 'Invitation withdrawn'),
    }),
  ];
}

/** What an invited person does with the token from the email. */
export function acceptanceRoutes(deps: AccountDeps): Route[] {
  const common = { method: 'POST', tag: 'Accounts', auth: { access: 'public' } } as const;
  return [
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
