import { z } from 'zod';
import { idParams } from '../http/input/validation.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { causeListQuery, causeView } from './responses.ts';
import { listCauses, readCause, type CauseDeps } from './verbs.ts';

const common = { tag: 'Causes', auth: { access: 'project', role: 'viewer' } } as const;
const pagination = z.strictObject({
  page: z.int(), limit: z.int(), total_count: z.int(), has_more: z.boolean(),
});

export function causeRoutes(deps: CauseDeps): Route[] {
  return [
    defineRoute({
      ...common, method: 'GET', path: '/api/causes', summary: 'List causes, newest first',
      description: 'What incidents that began together have in common, such as an address or a DNS server.',
      query: causeListQuery,
      responses: { 200: z.strictObject({ causes: z.array(causeView), pagination }) },
      handle: async (ctx, { query }) => ({ status: 200, data: await listCauses(deps, ctx, query) }),
    }),
    defineRoute({
      ...common, method: 'GET', path: '/api/causes/:id', summary: 'Read a cause',
      params: idParams, errors: ['RESOURCE_NOT_FOUND'],
      responses: { 200: z.strictObject({ cause: causeView }) },
      handle: async (ctx, { params }) => {
        return { status: 200, data: { cause: await readCause(deps, ctx, params.id) } };
      },
    }),
  ];
}
