import { isoTime } from '../../shared/time.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import type { AccountDeps } from './deps.ts';
import { projectRoutes } from './project-routes.ts';
import {
  changePasswordAnswer, changePasswordInput, loginAnswer, loginInput, meAnswer, messageAnswer, registerAnswer, registerInput,
} from './schema.ts';
import type { StartedSession } from './sessions.ts';
import { registerAccount } from './verbs/register-account.ts';
import { changePassword, logIn, logOut, readAccount, type Belongings } from './verbs/sign-in.ts';
import { viewOrganization, viewProject, viewProjects, viewUser } from './views.ts';

/** Registration, sessions, API keys and projects. */
export function accountRoutes(deps: AccountDeps): Route[] {
  return [...sessionRoutes(deps), ...apiKeyRoutes(deps), ...projectRoutes(deps)];
}

function sessionRoutes(deps: AccountDeps): Route[] {
  const tag = 'Accounts';
  return [
    defineRoute({
      method: 'POST',
      path: '/api/auth/register',
      audit: 'account.registered',
      summary: 'Register an account',
      tag,
      auth: { access: 'public' },
      body: registerInput,
      errors: ['FORBIDDEN', 'RESOURCE_ALREADY_EXISTS'],
      answers: { 201: registerAnswer },
      handle: async (ctx, { body }) => {
        const { user, organization, project, session } = await registerAccount(deps, ctx, body);
        const data = { user: viewUser(user), organization: viewOrganization(organization, { role: 'owner' }), project: viewProject(project, 'admin') };
        return { status: 201, data: { ...data, ...viewSession(session) } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/auth/login',
      summary: 'Start a session',
      tag,
      auth: { access: 'public' },
      body: loginInput,
      errors: ['INVALID_CREDENTIALS'],
      answers: { 200: loginAnswer },
      handle: async (ctx, { body }) => {
        const { user, session, ...belongings } = await logIn(deps, ctx, body);
        return { status: 200, data: { user: viewUser(user), organizations: viewOrganizations(belongings), ...viewSession(session) } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/auth/logout',
      audit: 'session.ended',
      summary: 'End this session',
      tag,
      auth: { access: 'account', verified: false },
      answers: { 200: messageAnswer },
      handle: async (ctx) => {
        await logOut(deps, ctx);
        return { status: 200, data: { message: 'Signed out' } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/auth/me',
      summary: 'Read the account of this session',
      tag,
      auth: { access: 'account', verified: false },
      answers: { 200: meAnswer },
      handle: async (ctx) => {
        const { user, projects, ...belongings } = await readAccount(deps, ctx);
        const data = { user: viewUser(user), organizations: viewOrganizations(belongings), projects: viewProjects(projects, belongings.memberships) };
        return { status: 200, data };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/auth/change-password',
      audit: 'password.changed',
      summary: 'Change the password',
      description: 'Ends every session of the account, this one too; the answer carries the token of a new one.',
      tag,
      auth: { access: 'account', verified: false },
      body: changePasswordInput,
      errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
      answers: { 200: changePasswordAnswer },
      handle: async (ctx, { body }) => {
        const session = await changePassword(deps, ctx, body);
        return { status: 200, data: { message: 'Password changed', ...viewSession(session) } };
      },
    }),
  ];
}

function viewSession(session: StartedSession): { token: string; expires_at: string } {
  return { token: session.token, expires_at: isoTime(session.expiresAt) };
}

function viewOrganizations({ memberships, organizations }: Belongings) {
  return memberships.flatMap((membership) => {
    const organization = organizations.find((one) => one._id === membership.organizationId);
    return organization === undefined ? [] : [viewOrganization(organization, membership)];
  });
}
