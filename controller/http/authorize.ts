import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../shared/errors.ts';
import {
  isSession, projectRoleOf, reachesOrganizationRole, reachesProjectRole,
  type Identity, type KeyIdentity, type Membership, type ProjectFacts, type SessionIdentity, type TenantReader,
} from './access.ts';
import type { Auth, OrganizationRole, ProjectRole, PublicContext } from './route.ts';

export interface RequestFacts {
  method: string;
  headers: IncomingHttpHeaders;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

type Granted = PublicContext & { tenant?: { organizationId: string; projectId?: string }; role?: OrganizationRole | ProjectRole };

/**
 * The context that `auth` earns this caller. The checks come in the order in which their errors are promised:
 * credential, verified e-mail, kind of credential, scope, organization, project, role.
 */
export async function authorize(tenants: TenantReader, auth: Auth, identity: Identity | null, request: RequestFacts, base: PublicContext): Promise<Granted> {
  if (auth.access === 'public') return base;
  if (identity === null) throw new AppError('MISSING_AUTH', 'Authentication is required: send X-API-Key or Authorization: Bearer');
  checkKind(auth, identity, request.method);
  const projectId = projectHeader(request.headers['x-project-id']);
  const granted = { ...base, actor: identity.actor };
  if (auth.access === 'operator') return granted;
  if (auth.access === 'account') {
    if (auth.organization === undefined) return granted;
    const { organizationId, role } = await organizationOf(tenants, identity, request.headers);
    if (!reachesOrganizationRole(role, auth.organization)) throw insufficient(`organization ${auth.organization}`);
    return { ...granted, tenant: { organizationId }, role };
  }
  const { project, role } = await projectOf(tenants, identity, request.headers, projectId);
  if (role === null || !reachesProjectRole(role, auth.role)) throw insufficient(`project ${auth.role}`);
  return { ...granted, tenant: { organizationId: project.organizationId, projectId: project.id }, role };
}

function checkKind(auth: Exclude<Auth, { access: 'public' }>, identity: Identity, method: string): void {
  if (isSession(identity)) {
    const needsVerified = auth.access !== 'account' || auth.verified !== false;
    if (needsVerified && !identity.isVerified) throw new AppError('EMAIL_NOT_VERIFIED', 'The e-mail address of this account is not verified');
    if (auth.access === 'operator' && !identity.actor.isOperator) throw insufficient('instance operator');
    return;
  }
  const acceptsKeys = auth.access === 'project' ? auth.keys !== false : auth.access === 'account' && auth.keys === true;
  if (!acceptsKeys) throw new AppError('JWT_REQUIRED', 'This endpoint needs a session token; API keys are not accepted');
  if (identity.actor.scope === 'read' && method !== 'GET' && method !== 'HEAD') {
    throw new AppError('READ_ONLY_API_KEY', 'This API key may only read');
  }
}

function insufficient(needed: string): AppError {
  return new AppError('INSUFFICIENT_PERMISSIONS', `This needs the role ${needed}`);
}

/** A key's own organization; a session's first one unless `X-Organization-ID` names another of its own. */
async function organizationOf(
  tenants: TenantReader, identity: Identity, headers: IncomingHttpHeaders,
): Promise<{ organizationId: string; role: OrganizationRole }> {
  if (!isSession(identity)) return { organizationId: identity.organizationId, role: identity.actor.scope === 'read' ? 'viewer' : 'admin' };
  return chooseMembership(tenants, await tenants.memberships(identity.actor.userId), headers['x-organization-id']);
}

async function chooseMembership(tenants: TenantReader, memberships: Membership[], named: string | string[] | undefined): Promise<Membership> {
  if (named === undefined) {
    const first = memberships[0];
    if (first === undefined) throw new AppError('ORGANIZATION_NOT_FOUND', 'This account belongs to no organization');
    return first;
  }
  const id = String(named).trim().toLowerCase();
  const chosen = memberships.find((membership) => membership.organizationId === id);
  if (chosen !== undefined) return chosen;
  if (UUID.test(id) && (await tenants.hasOrganization(id))) {
    throw new AppError('ORGANIZATION_MISMATCH', 'X-Organization-ID names an organization that this account does not belong to');
  }
  throw new AppError('ORGANIZATION_NOT_FOUND', 'Organization not found');
}

async function projectOf(
  tenants: TenantReader, identity: Identity, headers: IncomingHttpHeaders, named: string | null,
): Promise<{ project: ProjectFacts; role: ProjectRole | null }> {
  const [found, membership] = await Promise.all([
    named === null ? null : tenants.project(named),
    isSession(identity) ? membershipOf(tenants, identity, headers) : null,
  ]);
  const organizationId = membership?.organizationId ?? (identity as KeyIdentity).organizationId;
  const project = named === null ? await tenants.defaultProject(organizationId) : found;
  if (project === null) throw new AppError('PROJECT_NOT_FOUND', 'Project not found');
  if (project.organizationId !== organizationId) {
    throw new AppError('PROJECT_ORGANIZATION_MISMATCH', 'X-Project-ID names a project of another organization');
  }
  if (membership !== null) return { project, role: projectRoleOf(membership, project) };
  return { project, role: (identity as KeyIdentity).actor.scope === 'read' ? 'viewer' : 'admin' };
}

async function membershipOf(tenants: TenantReader, identity: SessionIdentity, headers: IncomingHttpHeaders): Promise<Membership> {
  return chooseMembership(tenants, await tenants.memberships(identity.actor.userId), headers['x-organization-id']);
}

/** The project that the header names, in lower case; null without the header. */
function projectHeader(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  const id = String(value).trim();
  if (!UUID.test(id)) throw new AppError('INVALID_PROJECT_ID', 'X-Project-ID must be a UUID');
  return id.toLowerCase();
}
