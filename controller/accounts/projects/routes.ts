import { idParams } from '../../http/input/validation.ts';
import { created, defineRoute, messageResponse, okMessage, ok, type Route } from '../../http/routing/route.ts';
import { projectResponse, projectMembersResponse, projectsResponse } from '../responses.ts';
import type { AccountDeps } from '../deps.ts';
import { projectChangeInput, projectInput, projectMembersInput } from '../schema.ts';
import { viewProject, viewProjectMember } from '../views.ts';
import { listProjectMembers, setProjectMembers } from './verbs/members.ts';
import { createProject, deleteProject, listProjects, readProject, renameProject } from './verbs/projects.ts';

const tag = 'Projects';
const reader = { access: 'account', keys: true, organization: 'viewer' } as const;
const admin = { access: 'account', organization: 'admin' } as const;

export function projectRoutes(deps: AccountDeps): Route[] {
  const all = { tag, path: '/api/projects' } as const;
  const one = { tag, path: '/api/projects/:id', params: idParams } as const;
  const oneResponse = { errors: ['PROJECT_NOT_FOUND'], responses: { 200: projectResponse } } as const;
  return [
    defineRoute({
      ...all, method: 'GET', summary: 'List the projects of the organization',
      auth: reader, responses: { 200: projectsResponse },
      handle: async (ctx) => ok({ projects: (await listProjects(deps, ctx)).map(viewProject) }),
    }),
    defineRoute({
      ...one, ...oneResponse, method: 'GET', summary: 'Read a project', auth: reader,
      errors: ['PROJECT_NOT_FOUND', 'ACCESS_DENIED'],
      handle: async (ctx, { params }) => {
        return ok({ project: viewProject(await readProject(deps, ctx, params.id)) });
      },
    }),
    defineRoute({
      ...all, method: 'POST', summary: 'Create a project', audit: 'project.created',
      auth: admin, body: projectInput, errors: ['PLAN_LIMIT_EXCEEDED'], responses: { 201: projectResponse },
      handle: async (ctx, { body }) => {
        return created({ project: viewProject(await createProject(deps, ctx, body)) });
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...one, ...oneResponse, method, summary: 'Rename a project', audit: 'project.changed',
      auth: admin, body: projectChangeInput,
      handle: async (ctx, { params, body }) => ok({
        project: viewProject(await renameProject(deps, ctx, params.id, body.name)),
      }),
    })),
    defineRoute({
      ...one, method: 'DELETE', summary: 'Delete an empty project', audit: 'project.deleted',
      description: 'The default project and projects with monitors or groups cannot be deleted.',
      auth: admin, errors: ['PROJECT_NOT_FOUND', 'CONFLICT'], responses: { 200: messageResponse },
      handle: (ctx, { params }) => okMessage(deleteProject(deps, ctx, params.id), 'Project deleted'),
    }),
    ...projectMemberRoutes(deps),
  ];
}

function projectMemberRoutes(deps: AccountDeps): Route[] {
  const common = {
    tag, path: '/api/projects/:id/members', params: idParams,
    errors: ['PROJECT_NOT_FOUND'], responses: { 200: projectMembersResponse },
  } as const;
  return [
    defineRoute({
      ...common, method: 'GET', summary: 'List the members of a project',
      auth: { access: 'account', organization: 'viewer' },
      handle: async (ctx, { params }) => ok({
        members: (await listProjectMembers(deps, ctx, params.id)).map(viewProjectMember),
      }),
    }),
    defineRoute({
      ...common, method: 'PUT', audit: 'project.members_changed',
      summary: 'Set the roles of the organization\'s members in a project',
      description:
        'A `member` of the organization who is not listed has no role in the project, except that they edit the '
        + 'default project. Owners, admins and viewers have access through their role in the organization.',
      auth: admin, body: projectMembersInput,
      handle: async (ctx, { params, body }) => ok({
        members: (await setProjectMembers(deps, ctx, params.id, body)).map(viewProjectMember),
      }),
    }),
  ];
}
