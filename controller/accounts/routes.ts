import type { Route } from '../http/routing/route.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import type { AccountDeps } from './deps.ts';
import { acceptanceRoutes, invitationRoutes } from './invitations/routes.ts';
import { accountPageRoutes } from './mailed-links/page-routes.ts';
import { mailedLinkRoutes } from './mailed-links/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { organizationRoutes } from './organizations/routes.ts';
import { projectRoutes } from './projects/routes.ts';
import { registrationRoutes } from './registration/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';

export function accountRoutes(deps: AccountDeps): Route[] {
  const all = [
    registrationRoutes, sessionRoutes, mailedLinkRoutes, acceptanceRoutes, accountPageRoutes, apiKeyRoutes,
    projectRoutes, organizationRoutes, memberRoutes, invitationRoutes,
  ];
  return all.flatMap((routes) => routes(deps));
}
