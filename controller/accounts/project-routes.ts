import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { AccountDeps } from './deps.ts';
import {
  messageAnswer, projectAnswer, projectChangeInput, projectInput, projectMembersAnswer, projectMembersInput, projectsAnswer,
} from './schema.ts';
import { listProjectMembers, setProjectMembers } from './verbs/project-members.ts';
import { createProject, deleteProject, listProjects, readProject, renameProject } from './verbs/projects.ts';
import { viewProject, viewProjectMember } from './views.ts';

export function projectRoutes(deps: AccountDeps): Route[] {
  const tag = 'Projects';
  return [
    defineRoute({
      method: 'GET',
      path: '/api/projects',
      summary: 'List the projects of the organization',
      tag,
      auth: { access: 'account', keys: true, organization: 'viewer' },
      answers: { 200: projectsAnswer },
      handle: async (ctx) => {
        const visible = await listProjects(deps, ctx);
        return { status: 200, data: { projects: visible.map(({ project, role }) => viewProject(project, role)) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/projects/:id',
      summary: 'Read a project',
      tag,
      auth: { access: 'account', keys: true, organization: 'viewer' },
      params: idParams,
      errors: ['PROJECT_NOT_FOUND'],
      answers: { 200: projectAnswer },
      handle: async (ctx, { params }) => {
        const { project, role } = await readProject(deps, ctx, params.id);
        return { status: 200, data: { project: viewProject(project, role) } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/projects',
      audit: 'project.created',
      summary: 'Create a project',
      tag,
      auth: { access: 'account', organization: 'admin' },
      body: projectInput,
      errors: ['PLAN_LIMIT_EXCEEDED'],
      answers: { 201: projectAnswer },
      handle: async (ctx, { body }) => {
        const { project, role } = await createProject(deps, ctx, body);
        return { status: 201, data: { project: viewProject(project, role) } };
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      method,
      path: '/api/projects/:id',
      audit: 'project.changed',
      summary: 'Rename a project',
      tag,
      auth: { access: 'account', organization: 'admin' },
      params: idParams,
      body: projectChangeInput,
      errors: ['PROJECT_NOT_FOUND'],
      answers: { 200: projectAnswer },
      handle: async (ctx, { params, body }) => {
        const { project, role } = await renameProject(deps, ctx, params.id, body.name);
        return { status: 200, data: { project: viewProject(project, role) } };
      },
    })),
    defineRoute({
      method: 'DELETE',
      path: '/api/projects/:id',
      audit: 'project.deleted',
      summary: 'Delete an empty project',
      description: 'The default project and projects with monitors or groups cannot be deleted.',
      tag,
      auth: { access: 'account', organization: 'admin' },
      params: idParams,
      errors: ['PROJECT_NOT_FOUND', 'CONFLICT'],
      answers: { 200: messageAnswer },
      handle: async (ctx, { params }) => {
        await deleteProject(deps, ctx, params.id);
        return { status: 200, data: { message: 'Project deleted' } };
      },
    }),
    ...projectMemberRoutes(deps),
  ];
}

function projectMemberRoutes(deps: AccountDeps): Route[] {
  const common = {
    path: '/api/projects/:id/members', tag: 'Projects', params: idParams, errors: ['PROJECT_NOT_FOUND'], answers: { 200: projectMembersAnswer },
  } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      summary: 'List the members of a project',
      auth: { access: 'account', organization: 'viewer' },
      handle: async (ctx, { params }) => ({ status: 200, data: { members: (await listProjectMembers(deps, ctx, params.id)).map(viewProjectMember) } }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'project.members_changed',
      summary: 'Set the roles of the organization\'s members in a project',
      description:
        'A `member` of the organization who is not named has no role in the project, and is editor of the default one. '
        + 'ShardQuestions, admins and viewers have theirs by their role in the organization.',
      auth: { access: 'account', organization: 'admin' },
      body: projectMembersInput,
      handle: async (ctx, { params, body }) => {
        const members = await setProjectMembers(deps, ctx, params.id, body);
        return { status: 200, data: { members: members.map(viewProjectMember) } };
      },
    }),
  ];
}
