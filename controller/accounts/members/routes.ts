import { defineRoute, ok, type Route } from '../../http/routing/route.ts';
import {
  memberResponse, memberCredentialsResponse, memberRemovedResponse, membersResponse,
} from '../responses.ts';
import type { AccountDeps } from '../deps.ts';
import { memberChangeInput, memberParams, memberRemovalQuery } from '../schema.ts';
import { viewMember, viewMemberCredentials } from '../views.ts';
import { changeMemberRole, listMembers, readCredentials, removeMember } from './verbs.ts';

export function memberRoutes(deps: AccountDeps): Route[] {
  const tag = 'Organization';
  const one = {
    tag, path: '/api/organization/members/:userId', auth: { access: 'account', organization: 'admin' },
    params: memberParams, errors: ['RESOURCE_NOT_FOUND', 'CONFLICT'],
  } as const;
  return [
    defineRoute({
      tag, method: 'GET', path: '/api/organization/members', summary: 'List the members',
      auth: { access: 'account', organization: 'viewer' }, responses: { 200: membersResponse },
      handle: async (ctx) => ok({ members: (await listMembers(deps, ctx)).map(viewMember) }),
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...one, method, summary: 'Change the role of a member', audit: 'member.changed',
      description: 'Takes effect on the next request. Only owners appoint or change owners; the last owner '
        + 'cannot be demoted.',
      body: memberChangeInput, responses: { 200: memberResponse },
      handle: async (ctx, { params, body }) => ok({
        member: viewMember(await changeMemberRole(deps, ctx, params.userId, body.role)),
      }),
    })),
    defineRoute({
      ...one, method: 'DELETE', summary: 'Remove a member', audit: 'member.removed',
      description: 'Takes effect on the next request. API keys, subscriptions and enrolment keys belong to the '
        + 'organization and stay valid, unless `revoke_credentials` is true.',
      query: memberRemovalQuery, responses: { 200: memberRemovedResponse },
      handle: async (ctx, { params, query }) => {
        const revoked = await removeMember(deps, ctx, params.userId, query.revoke_credentials);
        return ok({ message: 'Member removed', revoked });
      },
    }),
    defineRoute({
      ...one, method: 'GET', path: `${one.path}/credentials`,
      summary: 'List the credentials that a member created', errors: ['RESOURCE_NOT_FOUND'],
      description: 'An API key belongs to the person who created or last rotated it.',
      responses: { 200: memberCredentialsResponse },
      handle: async (ctx, { params }) =>
        ok(viewMemberCredentials(await readCredentials(deps, ctx, params.userId))),
    }),
  ];
}
