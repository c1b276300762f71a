import { defineRoute, ok, type Route } from '../../http/routing/route.ts';
import type { AccountDeps } from '../deps.ts';
import { registerResponse, registrationResponse } from '../responses.ts';
import { registerInput } from '../schema.ts';
import { withSession } from '../sessions/session-response.ts';
import { auditActor, viewOrganization, viewProject, viewUser } from '../views.ts';
import { readRegistration, registerAccount } from './verbs.ts';

export function registrationRoutes(deps: AccountDeps): Route[] {
  const common = { tag: 'Accounts', auth: { access: 'public' } } as const;
  return [
    defineRoute({
      ...common, method: 'GET', path: '/api/auth/registration', summary: 'Read who can register',
      responses: { 200: registrationResponse },
      handle: async () => {
        const { mode, isOpen, isEmpty } = await readRegistration(deps);
        return ok({ mode, is_open: isOpen, is_empty: isEmpty });
      },
    }),
    defineRoute({
      ...common, method: 'POST', path: '/api/auth/register', summary: 'Register an account', audit: 'account.registered',
      body: registerInput, errors: ['FORBIDDEN', 'RESOURCE_ALREADY_EXISTS'], responses: { 201: registerResponse },
      handle: async (ctx, { body }) => {
        const { user, organization, project, session } = await registerAccount(deps, ctx, body);
        const response = withSession(ctx, session, {
          user: viewUser(user), organization: viewOrganization(organization, 'owner'),
          project: viewProject({ project, role: 'admin' }),
        });
        const audit = { actor: auditActor(user), organizationId: organization._id };
        return { status: 201, audit, ...response };
      },
    }),
  ];
}
