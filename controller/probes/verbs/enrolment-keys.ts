import { ENROLMENT_KEY_PREFIX } from '../../../shared/contracts/enrolment.ts';
import { hashSecret, newId, newSecret } from '../../../shared/ids.ts';
import { AppError, notFound } from '../../errors/app-error.ts';
import { fieldError } from '../../http/input/validation.ts';
import { authorOf } from '../../http/routing/authorize.ts';
import type { OrganizationContext } from '../../http/routing/route.ts';
import type { EnrolmentKeyDoc } from '../enrolment-key-store.ts';
import type { RegionDoc } from '../probe.ts';
import type { EnrolmentKeyInput } from '../schema.ts';
import { findRegion, requireManager, type FleetDeps } from './probes.ts';

/** Per region, including expired and used-up keys. */
const MAX_KEYS = 100;

/**
 * Returns the key's document and, only this once, the key. Throws RESOURCE_NOT_FOUND for the region,
 * VALIDATION_ERROR for a time in the past, and FAIR_USE_LIMIT_REACHED.
 */
export async function createEnrolmentKey(
  deps: FleetDeps, ctx: OrganizationContext, regionId: string, input: EnrolmentKeyInput,
): Promise<{ doc: EnrolmentKeyDoc; key: string }> {
  const region = await managedRegion(deps, ctx, regionId);
  if (input.expires_at !== null && input.expires_at <= ctx.now) {
    throw fieldError('expires_at', 'Must be in the future');
  }
  const usage = await deps.enrolmentKeys.countOfRegion(region);
  if (usage >= MAX_KEYS) {
    const message = `A region can have at most ${MAX_KEYS} enrolment keys`;
    throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_KEYS, usage } });
  }
  const key = `${ENROLMENT_KEY_PREFIX}${newSecret()}`;
  const doc: EnrolmentKeyDoc = {
    _id: newId(ctx.now), region_id: region._id, organization_id: region.organization_id,
    hash: hashSecret(key), uses: 0, claims: [], created_by: authorOf(ctx.actor), created_at: ctx.now,
    last_used_at: null, ...input,
  };
  await deps.enrolmentKeys.insert(doc);
  return { doc, key };
}

export async function listEnrolmentKeys(
  deps: FleetDeps, ctx: OrganizationContext, regionId: string,
): Promise<EnrolmentKeyDoc[]> {
  return deps.enrolmentKeys.ofRegion(await managedRegion(deps, ctx, regionId));
}

/** Its probes stay. Throws RESOURCE_NOT_FOUND for the region and the key. */
export async function deleteEnrolmentKey(
  deps: FleetDeps, ctx: OrganizationContext, regionId: string, id: string,
): Promise<void> {
  const region = await managedRegion(deps, ctx, regionId);
  if (!(await deps.enrolmentKeys.delete(region, id))) throw notFound('Enrolment key');
}

async function managedRegion(deps: FleetDeps, ctx: OrganizationContext, id: string): Promise<RegionDoc> {
  const region = await findRegion(deps, ctx, id);
  requireManager(ctx, region);
  return region;
}
