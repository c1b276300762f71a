import { defineRoute, type Route } from '../http/route.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import type { AccountDeps } from './deps.ts';
import { mailedLinkRoutes } from './mailed-link-routes.ts';
import { organizationRoutes } from './organization-routes.ts';
import { accountPageRoutes } from './page-routes.ts';
import { projectRoutes } from './project-routes.ts';
import {
  changePasswordAnswer, changePasswordInput, loginAnswer, loginInput, meAnswer, messageAnswer, registerAnswer, registerInput,
} from './schema.ts';
import { registerAccount } from './verbs/register-account.ts';
import { changePassword, logIn, logOut, readAccount } from './verbs/sign-in.ts';
import { auditActor, viewOrganization, viewOrganizations, viewOwnProjects, viewProject, viewSession, viewUser } from './views.ts';

/** Registration, sessions, mailed links, API keys, projects, organizations. */
export function accountRoutes(deps: AccountDeps): Route[] {
  return [
    ...sessionRoutes(deps), ...mailedLinkRoutes(deps), ...accountPageRoutes(deps), ...apiKeyRoutes(deps), ...projectRoutes(deps), ...organizationRoutes(deps),
  ];
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
        return { status: 201, data: { ...data, ...viewSession(session) }, audit: { actor: auditActor(user), organizationId: organization._id } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/auth/login',
      audit: 'session.started',
      summary: 'Start a session',
      tag,
      auth: { access: 'public' },
      body: loginInput,
      errors: ['INVALID_CREDENTIALS'],
      answers: { 200: loginAnswer },
      handle: async (ctx, { body }) => {
        const { user, session, ...belongings } = await logIn(deps, ctx, body);
        const data = { user: viewUser(user), organizations: viewOrganizations(belongings), ...viewSession(session) };
        return { status: 200, data, audit: { actor: auditActor(user) } };
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
        const data = { user: viewUser(user), organizations: viewOrganizations(belongings), projects: viewOwnProjects(projects, belongings.memberships) };
        return { status: 200, data };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/auth/change-password',
      audit: 'password.changed',
      summary: 'Change the password',
      description: 'Ends every session of the account, including this one; the response contains the token '
        + 'of a new one.',
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
