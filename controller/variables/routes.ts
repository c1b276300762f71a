import { created, defineRoute, messageResponse, okMessage, ok, type Route } from '../http/routing/route.ts';
import * as schema from './schema.ts';
import { listVariables, type VariableDeps } from './verbs/using-monitors.ts';
import { changeVariable, createVariable, deleteVariable } from './verbs/write-variable.ts';

const path = '/api/projects/:projectId/variables';
const all = { path, params: schema.projectParams, tag: 'Variables' } as const;
const one = {
  ...all, path: `${path}/:id`, params: schema.variableParams, errors: ['RESOURCE_NOT_FOUND', 'CONFLICT'],
} as const;
const editor = { access: 'path-project', role: 'editor' } as const;

export function variableRoutes(deps: VariableDeps): Route[] {
  return [
    defineRoute({
      ...all, method: 'GET', summary: 'List the variables of a project, by name',
      auth: { access: 'path-project', role: 'viewer' }, responses: { 200: schema.variableListResponse },
      handle: async (ctx) => {
        const listed = await listVariables(deps, ctx);
        return ok({
          variables: listed.map(({ variable, users, count }) => (
            { monitor_count: count, monitors: users, ...schema.viewVariable(variable) }
          )),
        });
      },
    }),
    defineRoute({
      ...all, auth: editor, method: 'POST', summary: 'Create a variable', audit: 'variable.created',
      description: 'Monitors use it as `{{name}}` in their target, header values, body, credentials, keywords and '
        + 'the `send` of a TCP monitor. `\\{{` is a literal `{{`.',
      body: schema.variableInput, errors: ['DUPLICATE_NAME', 'FAIR_USE_LIMIT_REACHED'],
      responses: { 201: schema.variableResponse },
      handle: async (ctx, { body }) => {
        return created({ variable: schema.viewVariable(await createVariable(deps, ctx, body)) });
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...one, auth: editor, method, summary: 'Change a variable', audit: 'variable.changed',
      description: 'Changes only the fields in the request. Probes receive the new value at once. A value that '
        + 'would make a monitor invalid is refused.',
      body: schema.variableChangeInput, errors: [...one.errors, 'DUPLICATE_NAME'],
      responses: { 200: schema.variableResponse },
      handle: async (ctx, { params, body }) => {
        return ok({ variable: schema.viewVariable(await changeVariable(deps, ctx, params.id, body)) });
      },
    })),
    defineRoute({
      ...one, auth: editor, method: 'DELETE', summary: 'Delete a variable that no monitor uses',
      audit: 'variable.deleted', responses: { 200: messageResponse },
      handle: (ctx, { params }) => okMessage(deleteVariable(deps, ctx, params.id), 'Variable deleted successfully'),
    }),
  ];
}
