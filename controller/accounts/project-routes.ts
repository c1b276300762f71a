import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { AccountDeps } from './deps.ts';
import { projectAnswer, projectInput, projectsAnswer } from './schema.ts';
import { createProject, listProjects, readProject } from './verbs/projects.ts';
import { viewProject } from './views.ts';

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
  ];
}
