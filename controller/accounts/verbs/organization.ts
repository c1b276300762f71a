import { AppError } from '../../../shared/errors.ts';
import type { OrganizationContext } from '../../http/route.ts';
import type { Counted, PlanLimits, PlanName } from '../../plans/plans.ts';
import type { OrganizationDoc } from '../account.ts';
import type { AccountDeps } from '../deps.ts';

export interface Billing {
  plan: PlanName;
  limits: PlanLimits;
  usage: Record<Counted, number>;
}

/** Throws ORGANIZATION_NOT_FOUND when it is gone. */
export async function readOrganization(deps: AccountDeps, ctx: OrganizationContext): Promise<OrganizationDoc> {
  return found(await deps.organizations.find(ctx.tenant.organizationId));
}

/** Throws ORGANIZATION_NOT_FOUND when it is gone. */
export async function renameOrganization(deps: AccountDeps, ctx: OrganizationContext, name: string | undefined): Promise<OrganizationDoc> {
  if (name === undefined) return readOrganization(deps, ctx);
  return found(await deps.organizations.rename(ctx.tenant.organizationId, name));
}

/** The plan, what it allows and what of it is taken. */
export async function readBilling(deps: AccountDeps, ctx: OrganizationContext): Promise<Billing> {
  const { plan } = await readOrganization(deps, ctx);
  return { plan, limits: deps.quota.limitsOfPlan(plan), usage: await deps.quota.usageOf(ctx.tenant.organizationId) };
}

/**
 * Moves to another plan. One that allows less than there is is refused with CONFLICT, whose details name what is too much;
 * intervals and regions of monitors that exist stay until they are changed.
 */
export async function changePlan(deps: AccountDeps, ctx: OrganizationContext, plan: PlanName): Promise<Billing> {
  const [current, usage] = [await readOrganization(deps, ctx), await deps.quota.usageOf(ctx.tenant.organizationId)];
  const limits = deps.quota.limitsOfPlan(plan);
  const exceeded = (Object.keys(usage) as Counted[]).filter((counted) => usage[counted] > limits[counted]);
  if (plan !== current.plan && exceeded.length > 0) {
    const details = { exceeded: exceeded.map((resource) => ({ resource, usage: usage[resource], limit: limits[resource] })) };
    throw new AppError('CONFLICT', `The plan ${plan} allows less than there is of: ${exceeded.join(', ')}`, { details });
  }
  if (!(await deps.organizations.changePlan(current, plan))) throw new AppError('CONFLICT', 'The plan was changed by another request');
  return { plan, limits, usage };
}

function found(organization: OrganizationDoc | null): OrganizationDoc {
  if (organization === null) throw new AppError('ORGANIZATION_NOT_FOUND', 'Organization not found');
  return organization;
}
