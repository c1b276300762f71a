import { idParams } from '../../http/input/validation.ts';
import { defineRoute, ok, type Route } from '../../http/routing/route.ts';
import { billingResponse, organizationResponse } from '../responses.ts';
import type { AccountDeps } from '../deps.ts';
import { organizationChangeInput, planInput } from '../schema.ts';
import { viewOrganization } from '../views.ts';
import { changeOwnPlan, changePlanOf, readBilling, readOrganization, renameOrganization } from './verbs.ts';

export function organizationRoutes(deps: AccountDeps): Route[] {
  const tag = 'Organization';
  const errors = ['ORGANIZATION_NOT_FOUND'] as const;
  const own = { tag, path: '/api/organization', errors, responses: { 200: organizationResponse } } as const;
  const description = 'Fails if the current usage exceeds the limits of the plan; `details.exceeded` lists them. '
    + 'Existing monitors keep their interval and regions until they are changed.';
  const planChange = {
    tag, method: 'PUT', audit: 'plan.changed', body: planInput, errors: [...errors, 'CONFLICT'],
    responses: { 200: billingResponse },
  } as const;
  return [
    defineRoute({
      ...own, method: 'GET', summary: 'Read the organization',
      auth: { access: 'account', organization: 'viewer' },
      handle: async (ctx) => ok({
        organization: viewOrganization(await readOrganization(deps, ctx), ctx.role),
      }),
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...own, method, summary: 'Rename the organization', audit: 'organization.changed',
      auth: { access: 'account', organization: 'admin' }, body: organizationChangeInput,
      handle: async (ctx, { body }) => ok({
        organization: viewOrganization(await renameOrganization(deps, ctx, body.name), ctx.role),
      }),
    })),
    defineRoute({
      tag, method: 'GET', path: '/api/billing', summary: 'Read the plan, its limits and the usage',
      auth: { access: 'account', organization: 'admin' }, errors, responses: { 200: billingResponse },
      handle: async (ctx) => ok(await readBilling(deps, ctx)),
    }),
    defineRoute({
      ...planChange, path: '/api/billing/plan', summary: 'Change the plan',
      description: `${description} With \`PLAN_CHANGES=operator\`, only the operator of the installation can do this.`,
      auth: { access: 'account', organization: 'owner' },
      handle: async (ctx, { body }) => ok(await changeOwnPlan(deps, ctx, body.plan)),
    }),
    defineRoute({
      ...planChange, path: '/api/organizations/:id/plan', summary: 'Change the plan of any organization',
      description: `For the operator of the installation. ${description}`,
      auth: { access: 'operator' }, params: idParams,
      handle: async (_ctx, { params: { id }, body }) => {
        const billing = await changePlanOf(deps, id, body.plan);
        return { ...ok(billing), audit: { organizationId: id } };
      },
    }),
  ];
}
