import { AppError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { projectRoleOf } from '../../http/roles.ts';
import type { OrganizationContext, ProjectRole } from '../../http/route.ts';
import type { ProjectDoc } from '../account.ts';
import type { AccountDeps } from '../deps.ts';

export interface VisibleProject {
  project: ProjectDoc;
  role: ProjectRole;
}

/** The organization's projects that the caller has a role in, oldest first. */
export async function listProjects(deps: AccountDeps, ctx: OrganizationContext): Promise<VisibleProject[]> {
  const [projects, roleIn] = await Promise.all([deps.projects.listOf([ctx.tenant.organizationId]), rolesOf(deps, ctx)]);
  return projects.flatMap((project) => {
    const role = roleIn(project);
    return role === null ? [] : [{ project, role }];
  });
}

/** Throws PROJECT_NOT_FOUND, also for a project of another organization or one that the caller has no role in. */
export async function readProject(deps: AccountDeps, ctx: OrganizationContext, id: string): Promise<VisibleProject> {
  const [project, roleIn] = await Promise.all([deps.projects.find(id), rolesOf(deps, ctx)]);
  const role = project === null || project.organization_id !== ctx.tenant.organizationId ? null : roleIn(project);
  if (project === null || role === null) throw projectNotFound();
  return { project, role };
}

/** Throws PLAN_LIMIT_EXCEEDED with limit and usage. */
export async function createProject(deps: AccountDeps, ctx: OrganizationContext, input: { name: string }): Promise<VisibleProject> {
  const organizationId = ctx.tenant.organizationId;
  const reservation = await deps.quota.reserve(organizationId, 'projects');
  if (!reservation.isGranted) {
    const { limit, usage } = reservation;
    throw new AppError('PLAN_LIMIT_EXCEEDED', `This plan allows ${limit} ${limit === 1 ? 'project' : 'projects'}`, { details: { limit, usage } });
  }
  const project: ProjectDoc = { _id: newId(ctx.now), organization_id: organizationId, name: input.name, is_default: false, created_at: ctx.now };
  await deps.projects.insert(project);
  return { project, role: 'admin' };
}

/** Throws PROJECT_NOT_FOUND. */
export async function renameProject(deps: AccountDeps, ctx: OrganizationContext, id: string, name: string | undefined): Promise<VisibleProject> {
  const seen = await readProject(deps, ctx, id);
  if (name === undefined) return seen;
  const project = await deps.projects.rename(ctx.tenant.organizationId, id, name);
  if (project === null) throw projectNotFound();
  return { ...seen, project };
}

/** Throws PROJECT_NOT_FOUND, CONFLICT for the default project and for one that is not empty: what is in it is not deleted by the way. */
export async function deleteProject(deps: AccountDeps, ctx: OrganizationContext, id: string): Promise<void> {
  const { organizationId } = ctx.tenant;
  const { project } = await readProject(deps, ctx, id);
  if (project.is_default) throw new AppError('CONFLICT', 'The default project cannot be deleted');
  const tenant = { organizationId, projectId: id };
  await refuseContents(deps, tenant);
  if (!(await deps.projects.take(project))) throw projectNotFound();
  try {
    // Something may have been created between the look and the deletion; from now on nothing can be.
    await refuseContents(deps, tenant);
  } catch (error) {
    await deps.projects.insert(project);
    throw error;
  }
  await Promise.all([
    deps.quota.release(organizationId, 'projects'), deps.members.forgetProject(organizationId, id), deps.invitations.forgetProject(organizationId, id),
  ]);
}

async function refuseContents(deps: AccountDeps, tenant: { organizationId: string; projectId: string }): Promise<void> {
  const contents = await deps.contentsOfProject(tenant);
  if (contents !== null) throw new AppError('CONFLICT', `The project still has ${contents}: delete or move them first`);
}

function projectNotFound(): AppError {
  return new AppError('PROJECT_NOT_FOUND', 'Project not found');
}

async function rolesOf(deps: AccountDeps, ctx: OrganizationContext): Promise<(project: ProjectDoc) => ProjectRole | null> {
  const { actor, role } = ctx;
  if (actor.kind === 'key') return (project) => projectRoleOf({ role, project_roles: {} }, project);
  const member = await deps.members.find(ctx.tenant.organizationId, actor.userId);
  return (project) => (member === null ? null : projectRoleOf(member, project));
}
