import { AppError } from '../../errors/app-error.ts';
import type { OrganizationContext } from '../../http/routing/route.ts';
import { COUNTED_RESOURCES, type PlanName } from '../../plans/plans.ts';
import type { AccountDeps } from '../deps.ts';
import type { OrganizationDoc } from './store.ts';

/** Throws ORGANIZATION_NOT_FOUND. */
export async function readOrganization(deps: AccountDeps, ctx: OrganizationContext) {
  return requireFound(await deps.organizations.find(ctx.tenant.organizationId));
}

/** Throws ORGANIZATION_NOT_FOUND. */
export async function renameOrganization(
  deps: AccountDeps, ctx: OrganizationContext, name: string | undefined,
): Promise<OrganizationDoc> {
  if (name === undefined) return readOrganization(deps, ctx);
  return requireFound(await deps.organizations.rename(ctx.tenant.organizationId, name));
}

export async function readBilling(deps: AccountDeps, ctx: OrganizationContext) {
  const { _id, plan } = await readOrganization(deps, ctx);
  const can_change_plan = ctx.role === 'owner' && ownersMayChangePlan(deps, ctx);
  const limits = deps.quota.limitsOfPlan(plan);
  return { plan, limits, can_change_plan, usage: await usageOf(deps, _id) };
}

/**
 * Throws INSUFFICIENT_PERMISSIONS if only the operator may change plans, and the errors of `changePlanOf`.
 */
export async function changeOwnPlan(deps: AccountDeps, ctx: OrganizationContext, plan: PlanName) {
  if (!ownersMayChangePlan(deps, ctx)) {
    const message = 'Only the operator of this installation can change the plan';
    throw new AppError('INSUFFICIENT_PERMISSIONS', message);
  }
  return changePlanOf(deps, ctx.tenant.organizationId, plan);
}

/** Always true for the operator. */
function ownersMayChangePlan({ planChanges }: AccountDeps, { actor }: OrganizationContext): boolean {
  return planChanges === 'owner' || (actor.kind === 'session' && actor.isOperator);
}

/**
 * Throws ORGANIZATION_NOT_FOUND, and CONFLICT if the usage exceeds the new plan; the details list the limits.
 * Existing monitors keep intervals and regions that the new plan does not allow until they are edited.
 */
export async function changePlanOf(deps: AccountDeps, organizationId: string, plan: PlanName) {
  const current = requireFound(await deps.organizations.find(organizationId));
  const usage = await usageOf(deps, current._id);
  const limits = deps.quota.limitsOfPlan(plan);
  const exceeded = COUNTED_RESOURCES.filter((counted) => usage[counted] > limits[counted]);
  if (plan !== current.plan && exceeded.length > 0) {
    const details = exceeded.map((name) => ({ resource: name, usage: usage[name], limit: limits[name] }));
    const message = `Current usage exceeds the limits of the plan ${plan}: ${exceeded.join(', ')}`;
    throw new AppError('CONFLICT', message, { details: { exceeded: details } });
  }
  if (!(await deps.organizations.changePlan(current, plan))) {
    throw new AppError('CONFLICT', 'The plan was changed by another request; try again');
  }
  return { plan, limits, can_change_plan: true, usage };
}

async function usageOf(deps: AccountDeps, organizationId: string) {
  return { event_streams: deps.openStreams(organizationId), ...(await deps.quota.usageOf(organizationId)) };
}

function requireFound(organization: OrganizationDoc | null): OrganizationDoc {
  if (organization === null) throw new AppError('ORGANIZATION_NOT_FOUND', 'Organization not found');
  return organization;
}
