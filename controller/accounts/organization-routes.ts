import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { AccountDeps } from './deps.ts';
import {
  billingAnswer, invitationAnswer, invitationInput, invitationsAnswer, memberAnswer, memberChangeInput, memberParams, membersAnswer, messageAnswer,
  organizationAnswer, organizationChangeInput, planInput,
} from './schema.ts';
import { createInvitation, listInvitations, withdrawInvitation } from './verbs/invitations.ts';
import { changeMemberRole, listMembers, removeMember } from './verbs/members.ts';
import { changePlan, readBilling, readOrganization, renameOrganization } from './verbs/organization.ts';
import { viewInvitation, viewMember, viewOrganization } from './views.ts';

const viewer = { access: 'account', organization: 'viewer' } as const;
const admin = { access: 'account', organization: 'admin' } as const;
const owner = { access: 'account', organization: 'owner' } as const;

/** An organization, its people and its plan. */
export function organizationRoutes(deps: AccountDeps): Route[] {
  return [...ownRoutes(deps), ...memberRoutes(deps), ...invitationRoutes(deps), ...billingRoutes(deps)];
}

function ownRoutes(deps: AccountDeps): Route[] {
  const common = { tag: 'Organization', path: '/api/organization', errors: ['ORGANIZATION_NOT_FOUND'], answers: { 200: organizationAnswer } } as const;
  return [
    defineRoute({
      ...common, method: 'GET', summary: 'Read the organization', auth: viewer,
      handle: async (ctx) => ({ status: 200, data: { organization: viewOrganization(await readOrganization(deps, ctx), ctx) } }),
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...common, method, summary: 'Rename the organization', auth: admin, audit: 'organization.changed', body: organizationChangeInput,
      handle: async (ctx, { body }) => ({ status: 200, data: { organization: viewOrganization(await renameOrganization(deps, ctx, body.name), ctx) } }),
    })),
  ];
}

function memberRoutes(deps: AccountDeps): Route[] {
  const one = { tag: 'Organization', path: '/api/organization/members/:userId', auth: admin, params: memberParams, errors: ['RESOURCE_NOT_FOUND', 'CONFLICT'] } as const;
  return [
    defineRoute({
      method: 'GET', path: '/api/organization/members', summary: 'List the members', tag: 'Organization', auth: viewer,
      answers: { 200: membersAnswer },
      handle: async (ctx) => ({ status: 200, data: { members: (await listMembers(deps, ctx)).map(viewMember) } }),
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...one, method, summary: 'Change the role of a member', audit: 'member.changed',
      description: 'Takes effect on the next request. Only owners appoint or change owners; the last owner '
        + 'cannot be demoted.',
      body: memberChangeInput, answers: { 200: memberAnswer },
      handle: async (ctx, { params, body }) => ({ status: 200, data: { member: viewMember(await changeMemberRole(deps, ctx, params.userId, body.role)) } }),
    })),
    defineRoute({
      ...one, method: 'DELETE', summary: 'Remove a member', audit: 'member.removed',
      description: 'Takes effect on the next request. API keys belong to the organization and stay valid.',
      answers: { 200: messageAnswer },
      handle: async (ctx, { params }) => {
        await removeMember(deps, ctx, params.userId);
        return { status: 200, data: { message: 'Member removed' } };
      },
    }),
  ];
}

function invitationRoutes(deps: AccountDeps): Route[] {
  const common = { tag: 'Organization', auth: admin } as const;
  return [
    defineRoute({
      ...common, method: 'GET', path: '/api/organization/invitations', summary: 'List the invitations, newest first',
      answers: { 200: invitationsAnswer },
      handle: async (ctx) => ({ status: 200, data: { invitations: (await listInvitations(deps, ctx)).map((one) => viewInvitation(one, ctx.now)) } }),
    }),
    defineRoute({
      ...common, method: 'POST', path: '/api/organization/invitations', summary: 'Invite a person by mail', audit: 'invitation.created',
      description: 'The mailed link is valid once, for seven days. `project_roles` applies to the role '
        + '`member`.',
      body: invitationInput, errors: ['RESOURCE_ALREADY_EXISTS', 'FAIR_USE_LIMIT_REACHED'], answers: { 201: invitationAnswer },
      handle: async (ctx, { body }) => ({ status: 201, data: { invitation: viewInvitation(await createInvitation(deps, ctx, body), ctx.now) } }),
    }),
    defineRoute({
      ...common, method: 'DELETE', path: '/api/organization/invitations/:id', summary: 'Withdraw an invitation', audit: 'invitation.withdrawn',
      params: idParams, errors: ['RESOURCE_NOT_FOUND'], answers: { 200: messageAnswer },
      handle: async (ctx, { params }) => {
        await withdrawInvitation(deps, ctx, params.id);
        return { status: 200, data: { message: 'Invitation withdrawn' } };
      },
    }),
  ];
}

function billingRoutes(deps: AccountDeps): Route[] {
  const common = { tag: 'Organization', answers: { 200: billingAnswer } } as const;
  return [
    defineRoute({
      ...common, method: 'GET', path: '/api/billing', summary: 'Read the plan, its limits and the usage', auth: admin, errors: ['ORGANIZATION_NOT_FOUND'],
      handle: async (ctx) => ({ status: 200, data: await readBilling(deps, ctx) }),
    }),
    defineRoute({
      ...common, method: 'PUT', path: '/api/billing/plan', summary: 'Change the plan', auth: owner, audit: 'plan.changed',
      description: 'Fails if the current usage exceeds the plan; `details.exceeded` names the limits. '
        + 'Existing monitors keep their interval and regions until they are changed.',
      body: planInput, errors: ['ORGANIZATION_NOT_FOUND', 'CONFLICT'],
      handle: async (ctx, { body }) => ({ status: 200, data: await changePlan(deps, ctx, body.plan) }),
    }),
  ];
}
