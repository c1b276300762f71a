import { defineRoute, messageResponse, okMessage, ok, type Route } from '../../http/routing/route.ts';
import { changePasswordResponse, loginResponse, meResponse, sessionsResponse } from '../responses.ts';
import type { AccountDeps } from '../deps.ts';
import { changePasswordInput, loginInput, sessionParams } from '../schema.ts';
import { auditActor, viewAccount, viewOwnProject, viewSession } from '../views.ts';
import { withSession, withSignedIn } from './session-response.ts';
import {
  changePassword, endAllSessions, endSession, listSessions, logIn, logOut, readAccount,
} from './verbs.ts';

export function sessionRoutes(deps: AccountDeps): Route[] {
  const accountRoute = { tag: 'Accounts', auth: { access: 'account', verified: false } } as const;
  return [
    defineRoute({
      method: 'POST', tag: 'Accounts', auth: { access: 'public' },
      path: '/api/auth/login', summary: 'Start a session', audit: 'session.started',
      body: loginInput, errors: ['INVALID_CREDENTIALS'], responses: { 200: loginResponse },
      handle: async (ctx, { body }) => {
        const signedIn = await logIn(deps, ctx, body);
        const audit = { actor: auditActor(signedIn.user) };
        return { status: 200, audit, ...withSignedIn(ctx, signedIn) };
      },
    }),
    defineRoute({
      ...accountRoute, method: 'POST', path: '/api/auth/logout', summary: 'End this session',
      audit: 'session.ended', endsSession: true, responses: { 200: messageResponse },
      handle: (ctx) => okMessage(logOut(deps, ctx), 'Signed out'),
    }),
    defineRoute({
      ...accountRoute, method: 'POST', path: '/api/auth/logout-everywhere',
      summary: 'End every session of the account',
      description: 'Including this one. Live event streams opened with them close within a second.',
      audit: 'sessions.ended', endsSession: true, responses: { 200: messageResponse },
      handle: (ctx) => okMessage(endAllSessions(deps, ctx.actor.userId), 'Signed out everywhere'),
    }),
    defineRoute({
      ...accountRoute, method: 'GET', path: '/api/auth/sessions',
      summary: 'List the sessions of the account, newest first',
      description: 'Returns the newest 100.', responses: { 200: sessionsResponse },
      handle: async (ctx) => {
        const sessions = await listSessions(deps, ctx);
        return ok({ sessions: sessions.map((each) => viewSession(each, ctx.actor.sessionId)) });
      },
    }),
    defineRoute({
      ...accountRoute, method: 'DELETE', path: '/api/auth/sessions/:id',
      summary: 'End a session of the account',
      audit: 'session.ended', params: sessionParams, errors: ['RESOURCE_NOT_FOUND'],
      responses: { 200: messageResponse },
      handle: (ctx, { params }) => okMessage(endSession(deps, ctx, params.id), 'Session ended'),
    }),
    defineRoute({
      ...accountRoute, method: 'GET', path: '/api/auth/me', summary: 'Read the account of this session',
      responses: { 200: meResponse },
      handle: async (ctx) => {
        const { projects, ...account } = await readAccount(deps, ctx);
        return ok({ projects: projects.map(viewOwnProject), ...viewAccount(account) });
      },
    }),
    defineRoute({
      ...accountRoute, method: 'POST', path: '/api/auth/change-password', summary: 'Change the password',
      description: 'Ends every session of the account, including this one; the response contains the token '
        + 'of a new one.',
      audit: 'password.changed', body: changePasswordInput,
      errors: ['INVALID_CREDENTIALS', 'CONFLICT'], responses: { 200: changePasswordResponse },
      handle: async (ctx, { body }) => {
        const session = await changePassword(deps, ctx, body);
        return { status: 200, ...withSession(ctx, session, { message: 'Password changed' }) };
      },
    }),
  ];
}
