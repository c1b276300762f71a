import { newId } from '../../../../shared/ids.ts';
import { coversProject, requireCovered } from '../../../http/routing/authorize.ts';
import type { OrganizationContext } from '../../../http/routing/route.ts';
import { planLimitExceeded } from '../../../plans/quota.ts';
import type { AccountDeps } from '../../deps.ts';
import { projectRoleOf, type ProjectRole, type Tenant } from '../../../access/tenant.ts';
import { AppError } from '../../../errors/app-error.ts';
import type { ProjectDoc } from '../../tenant-store.ts';

export interface VisibleProject {
  project: ProjectDoc;
  role: ProjectRole;
}

/** What it takes to list projects. */
export type ProjectReaders = Pick<AccountDeps, 'projects' | 'members'>;

type RoleIn = (project: ProjectDoc) => ProjectRole | null;

export function visibleProjects(projects: ProjectDoc[], roleIn: RoleIn): VisibleProject[] {
  return projects.flatMap((project) => {
    const role = roleIn(project);
    return role === null ? [] : [{ project, role }];
  });
}

/** Projects in which the caller has a role, oldest first. */
export async function listProjects(
  deps: ProjectReaders, ctx: OrganizationContext,
): Promise<VisibleProject[]> {
  const projects = await deps.projects.listOf([ctx.tenant.organizationId]);
  return visibleProjects(projects, await rolesOf(deps, ctx));
}

/**
 * Throws PROJECT_NOT_FOUND, including for projects of other organizations and without a role in it, and
 * ACCESS_DENIED for an API key of other projects.
 */
export async function readProject(deps: AccountDeps, ctx: OrganizationContext, id: string) {
  const [project, roleIn] = await Promise.all([deps.projects.find(id), rolesOf(deps, ctx)]);
  const isOwn = project?.organization_id === ctx.tenant.organizationId;
  if (isOwn) requireCovered(ctx.actor, id);
  const [visible] = isOwn ? visibleProjects([project], roleIn) : [];
  if (visible === undefined) throw projectNotFound();
  return visible;
}

/** Throws PLAN_LIMIT_EXCEEDED. */
export async function createProject(deps: AccountDeps, ctx: OrganizationContext, { name }: { name: string }) {
  const { organizationId } = ctx.tenant;
  const reservation = await deps.quota.reserve(organizationId, 'projects');
  if (!reservation.isGranted) {
    throw planLimitExceeded('project', reservation.limit, reservation.usage);
  }
  const project = {
    _id: newId(ctx.now), organization_id: organizationId, name, is_default: false, created_at: ctx.now,
  };
  await deps.projects.insert(project);
  return { project, role: 'admin' as const };
}

/** Throws PROJECT_NOT_FOUND. */
export async function renameProject(
  deps: AccountDeps, ctx: OrganizationContext, id: string, name: string | undefined,
): Promise<VisibleProject> {
  const seen = await readProject(deps, ctx, id);
  if (name === undefined) return seen;
  const project = await deps.projects.rename(ctx.tenant.organizationId, id, name);
  if (project === null) throw projectNotFound();
  return { ...seen, project };
}

/** Throws PROJECT_NOT_FOUND, and CONFLICT for the default project or a project with contents. */
export async function deleteProject(deps: AccountDeps, ctx: OrganizationContext, id: string): Promise<void> {
  const { organizationId } = ctx.tenant;
  const { project } = await readProject(deps, ctx, id);
  if (project.is_default) throw new AppError('CONFLICT', 'The default project cannot be deleted');
  const tenant = { organizationId, projectId: id };
  await requireEmpty(deps, tenant);
  if (!(await deps.projects.delete(id))) throw projectNotFound();
  try {
    // Check again for contents created before the deletion; none can be created after it.
    await requireEmpty(deps, tenant);
  } catch (error) {
    await deps.projects.insert(project);
    throw error;
  }
  await deps.quota.release(organizationId, 'projects');
  await Promise.all([deps.members, deps.invitations].map((store) => store.removeProject(organizationId, id)));
}

async function requireEmpty(deps: AccountDeps, tenant: Tenant): Promise<void> {
  const contents = await deps.contentsOfProject(tenant);
  if (contents === null) return;
  throw new AppError('CONFLICT', `The project still has ${contents}; delete or move them first`);
}

function projectNotFound(): AppError {
  return new AppError('PROJECT_NOT_FOUND', 'Project not found');
}

/** The caller's role in each project of the organization. */
async function rolesOf(deps: ProjectReaders, { actor, role, tenant }: OrganizationContext): Promise<RoleIn> {
  const asKey = { role, project_roles: {} };
  const roles = actor.kind === 'key' ? asKey : await deps.members.find(tenant.organizationId, actor.userId);
  return (project) => (coversProject(actor, project._id) ? projectRoleOf(roles, project) : null);
}
