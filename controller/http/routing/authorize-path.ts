import type { IncomingMessage } from 'node:http';
import { projectRoleOf, reachesProjectRole } from '../../access/tenant.ts';
import { AppError, ERROR_STATUS } from '../../errors/app-error.ts';
import {
  checkKind, insufficient, membershipOfKey, projectHeader, requireCovered, type GrantedContext,
} from './authorize.ts';
import { UUID } from '../input/validation.ts';
import type { TenantReader } from './ports.ts';
import type { Caller, PathProjectAuth, PublicContext } from './route.ts';

/**
 * Authorizes a route with a project in its path. These routes have error codes of their own:
 * AUTHENTICATION_REQUIRED, PROJECT_ID_REQUIRED, API_KEY_ORGANIZATION_MISMATCH, ACCESS_DENIED.
 */
export async function authorizePath(
  tenants: TenantReader, auth: PathProjectAuth, caller: Caller | null, request: IncomingMessage,
  base: PublicContext, pathProjectId = '',
): Promise<GrantedContext> {
  if (caller === null) {
    const message = 'Authentication is required: send X-API-Key or Authorization: Bearer';
    throw new AppError('AUTHENTICATION_REQUIRED', message);
  }
  checkKind(auth, caller, request.method);
  const headerProjectId = projectHeader(request.headers['x-project-id']);
  if (!UUID.test(pathProjectId)) throw new AppError('INVALID_PROJECT_ID', 'The project in the path must be a UUID');
  const id = pathProjectId.toLowerCase();
  if (auth.header === true && headerProjectId !== id) {
    if (headerProjectId === null) throw new AppError('PROJECT_ID_REQUIRED', 'X-Project-ID is required');
    throw new AppError('INVALID_PROJECT_ID', 'X-Project-ID must name the project in the path');
  }
  const project = await tenants.projects.find(id);
  if (project === null) throw new AppError('PROJECT_NOT_FOUND', 'Project not found');
  const { organization_id: organizationId } = project;
  if (caller.kind === 'key' && caller.organizationId !== organizationId) {
    const message = 'This API key belongs to a different organization than the project';
    throw new AppError('API_KEY_ORGANIZATION_MISMATCH', message);
  }
  requireCovered(caller, id);
  const membership = caller.kind === 'key'
    ? membershipOfKey(caller)
    : (await tenants.members.listOfUser(caller.userId)).find((one) => one.organization_id === organizationId);
  const role = projectRoleOf(membership, project);
  if (role === null) throw new AppError('ACCESS_DENIED', 'You do not have access to this project');
  if (!reachesProjectRole(role, auth.role)) {
    throw auth.hidesRole === true
      ? new AppError('AUTHENTICATION_REQUIRED', 'Access denied')
      : insufficient(`project ${auth.role}`);
  }
  return { tenant: { organizationId, projectId: id }, role, ...base, actor: caller };
}

/** Maps every credential error to the one code that these routes use. */
export function asUnauthenticated(failure: unknown): unknown {
  if (!(failure instanceof AppError) || ERROR_STATUS[failure.code] !== 401) return failure;
  return new AppError('AUTHENTICATION_REQUIRED', failure.message);
}
