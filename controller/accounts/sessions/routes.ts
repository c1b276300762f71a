import { defineRoute, done, ok, type Route } from '../../http/route.ts';
import {
  changePasswordAnswer, loginAnswer, meAnswer, messageAnswer, registerAnswer, registrationAnswer,
  sessionsAnswer,
} from '../answers.ts';
import type { AccountDeps } from '../deps.ts';
import { changePasswordInput, loginInput, registerInput, sessionParams } from '../schema.ts';
import { readRegistration, registerAccount } from '../users/verbs.ts';
import {
  auditActor, viewAccount, viewOrganization, viewOwnProject, viewProject, viewSession, viewUser,
} from '../views.ts';
import { withSession, withSignedIn } from './hand-over.ts';
import {
  changePassword, endAllSessions, endSession, listSessions, logIn, logOut, readAccount,
} from './verbs.ts';

export function sessionRoutes(deps: AccountDeps): Route[] {
  const open = { method: 'POST', tag: 'Accounts', auth: { access: 'public' } } as const;
  const own = { tag: 'Accounts', auth: { access: 'account', verified: false } } as const;
  return [
    defineRoute({
      ...open, method: 'GET', path: '/api/auth/registration', summary: 'Read who can register',
      answers: { 200: registrationAnswer },
      handle: async () => {
        const { mode, isOpen, isEmpty } = await readRegistration(deps);
        return ok({ mode, is_open: isOpen, is_empty: isEmpty });
      },
    }),
    defineRoute({
      ...open, path: '/api/auth/register', summary: 'Register an account', audit: 'account.registered',
      body: registerInput, errors: ['FORBIDDEN', 'RESOURCE_ALREADY_EXISTS'], answers: { 201: registerAnswer },
      handle: async (ctx, { body }) => {
        const { user, organization, project, session } = await registerAccount(deps, ctx, body);
        const reply = withSession(ctx, session, {
          user: viewUser(user), organization: viewOrganization(organization, 'owner'),
          project: viewProject({ project, role: 'admin' }),
        });
        const audit = { actor: auditActor(user), organizationId: organization._id };
        return { status: 201, audit, ...reply };
      },
    }),
    defineRoute({
      ...open, path: '/api/auth/login', summary: 'Start a session', audit: 'session.started',
      body: loginInput, errors: ['INVALID_CREDENTIALS'], answers: { 200: loginAnswer },
      handle: async (ctx, { body }) => {
        const signedIn = await logIn(deps, ctx, body);
        const audit = { actor: auditActor(signedIn.user) };
        return { status: 200, audit, ...withSignedIn(ctx, signedIn) };
      },
    }),
    defineRoute({
      ...own, method: 'POST', path: '/api/auth/logout', summary: 'End this session', audit: 'session.ended',
      endsSession: true, answers: { 200: messageAnswer },
      handle: (ctx) => done(logOut(deps, ctx), 'Signed out'),
    }),
    defineRoute({
      ...own, method: 'POST', path: '/api/auth/logout-everywhere', summary: 'End every session of the account',
      description: 'Including this one. Live event streams opened with them close within a second.',
      audit: 'sessions.ended', endsSession: true, answers: { 200: messageAnswer },
      handle: (ctx) => done(endAllSessions(deps, ctx.actor.userId), 'Signed out everywhere'),
    }),
    defineRoute({
      ...own, method: 'GET', path: '/api/auth/sessions', summary: 'List the sessions of the account, newest first',
      description: 'Returns the newest 100.', answers: { 200: sessionsAnswer },
      handle: async (ctx) => {
        const sessions = await listSessions(deps, ctx);
        return ok({ sessions: sessions.map((each) => viewSession(each, ctx.actor.sessionId)) });
      },
    }),
    defineRoute({
      ...own, method: 'DELETE', path: '/api/auth/sessions/:id', summary: 'End a session of the account',
      audit: 'session.ended', params: sessionParams, errors: ['RESOURCE_NOT_FOUND'],
      answers: { 200: messageAnswer },
      handle: (ctx, { params }) => done(endSession(deps, ctx, params.id), 'Session ended'),
    }),
    defineRoute({
      ...own, method: 'GET', path: '/api/auth/me', summary: 'Read the account of this session',
      answers: { 200: meAnswer },
      handle: async (ctx) => {
        const { projects, ...account } = await readAccount(deps, ctx);
        return ok({ projects: projects.map(viewOwnProject), ...viewAccount(account) });
      },
    }),
    defineRoute({
      ...own, method: 'POST', path: '/api/auth/change-password', summary: 'Change the password',
      description: 'Ends every session of the account, including this one; the response contains the token '
        + 'of a new one.',
      audit: 'password.changed', body: changePasswordInput,
      errors: ['INVALID_CREDENTIALS', 'CONFLICT'], answers: { 200: changePasswordAnswer },
      handle: async (ctx, { body }) => {
        const session = await changePassword(deps, ctx, body);
        return { status: 200, ...withSession(ctx, session, { message: 'Password changed' }) };
      },
    }),
  ];
}
