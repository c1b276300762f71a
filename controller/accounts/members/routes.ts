import { defineRoute, done, ok, type Route } from '../../http/route.ts';
import { memberAnswer, membersAnswer, messageAnswer } from '../answers.ts';
import type { AccountDeps } from '../deps.ts';
import { memberChangeInput, memberParams } from '../schema.ts';
import { viewMember } from '../views.ts';
import { changeMemberRole, listMembers, removeMember } from './verbs.ts';

export function memberRoutes(deps: AccountDeps): Route[] {
  const tag = 'Organization';
  const one = {
    tag, path: '/api/organization/members/:userId', auth: { access: 'account', organization: 'admin' },
    params: memberParams, errors: ['RESOURCE_NOT_FOUND', 'CONFLICT'],
  } as const;
  return [
    defineRoute({
      tag, method: 'GET', path: '/api/organization/members', summary: 'List the members',
      auth: { access: 'account', organization: 'viewer' }, answers: { 200: membersAnswer },
      handle: async (ctx) => ok({ members: (await listMembers(deps, ctx)).map(viewMember) }),
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...one, method, summary: 'Change the role of a member', audit: 'member.changed',
      description: 'Takes effect on the next request. Only owners appoint or change owners; the last owner '
        + 'cannot be demoted.',
      body: memberChangeInput, answers: { 200: memberAnswer },
      handle: async (ctx, { params, body }) => ok({
        member: viewMember(await changeMemberRole(deps, ctx, params.userId, body.role)),
      }),
    })),
    defineRoute({
      ...one, method: 'DELETE', summary: 'Remove a member', audit: 'member.removed',
      description: 'Takes effect on the next request. API keys belong to the organization and stay valid.',
      answers: { 200: messageAnswer },
      handle: (ctx, { params }) => done(removeMember(deps, ctx, params.userId), 'Member removed'),
    }),
  ];
}
