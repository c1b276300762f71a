import { idParams } from '../../http/input/params.ts';
import { created, defineRoute, okMessage, ok, type Route } from '../../http/routing/route.ts';
import { invitationResponse, invitationsResponse, messageResponse } from '../responses.ts';
import type { AccountDeps } from '../deps.ts';
import { invitationInput } from '../schema.ts';
import { viewInvitation } from '../views.ts';
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
