import { AppError, notFound, valueTaken } from '../../errors/app-error.ts';
import type { OrganizationContext } from '../../http/routing/route.ts';
import type { RegionView } from '../responses.ts';
import type { RegionDoc } from '../probe.ts';
import type { RegionChange, RegionInput } from '../schema.ts';
import { viewRegion } from '../views.ts';
import { findRegion, releaseFor, requireManager, reserveFor, revokeProbes, type FleetDeps } from './probes.ts';

/** Regions that the caller may use, in order of id. */
export async function listRegions(deps: FleetDeps, ctx: OrganizationContext): Promise<RegionView[]> {
  return withCounts(deps, ctx, await deps.regions.visibleTo(ctx.tenant.organizationId));
}

const PRIVATE_REGION_EXISTS = 'An organization has a private region with this id. Send `replace_private: true` '
  + 'to delete it and its probes';

/**
 * Throws FAIR_USE_LIMIT_REACHED, and RESOURCE_ALREADY_EXISTS if the id is taken, even by a region that the
 * caller cannot see. With `replace_private`, the operator's shared region replaces a private one.
 */
export async function createRegion(
  deps: FleetDeps,
  ctx: OrganizationContext,
  input: RegionInput,
): Promise<RegionView> {
  const { id, visibility, replace_private: replacesPrivate, ...fields } = input;
  const organizationId = visibility === 'shared' ? null : ctx.tenant.organizationId;
  requireManager(ctx, { organization_id: organizationId });
  const owner = { visibility, organization_id: organizationId };
  const region: RegionDoc = { _id: id, created_at: ctx.now, to_place: 0, ...owner, ...fields };
  await reserveFor(deps, region, 'regions');
  if (!(await deps.regions.insertIfFree(region))) {
    const taken = await deps.regions.find(id);
    const isBlocking = visibility === 'shared' && taken !== null && taken.organization_id !== null;
    if (!isBlocking || !replacesPrivate) {
      await releaseFor(deps, region, 'regions');
      const message = isBlocking ? PRIVATE_REGION_EXISTS : 'A region with this id already exists';
      throw valueTaken('RESOURCE_ALREADY_EXISTS', 'id', message);
    }
    await replacePrivate(deps, taken, region);
  }
  await deps.directory.refresh();
  return viewRegion(region, { probes_online: 0, monitors: 0 });
}

/**
 * Revokes the former owner's probes first, so that none ever serves the shared region. A probe registered
 * meanwhile cannot enrol.
 */
async function replacePrivate(deps: FleetDeps, taken: RegionDoc, region: RegionDoc): Promise<void> {
  await revokeProbes(deps, taken, region.created_at);
  if (!(await deps.regions.replace(taken, region))) {
    throw new AppError('CONFLICT', 'The region was changed by another request; try again');
  }
  await releaseFor(deps, taken, 'regions');
  await deps.enrolmentKeys.deleteOfRegion(taken);
  await revokeProbes(deps, taken, region.created_at);
}

export async function changeRegion(
  deps: FleetDeps,
  ctx: OrganizationContext,
  id: string,
  change: RegionChange,
): Promise<RegionView> {
  requireManager(ctx, await findRegion(deps, ctx, id));
  const changed = await deps.regions.edit(id, change);
  if (!changed) throw notFound('Region');
  await deps.directory.refresh();
  const [view] = await withCounts(deps, ctx, [changed]);
  return view as RegionView;
}

/** Throws CONFLICT while the region has probes. */
export async function deleteRegion(deps: FleetDeps, ctx: OrganizationContext, id: string): Promise<void> {
  const region = await findRegion(deps, ctx, id);
  requireManager(ctx, region);
  if ((await deps.probes.ofRegion(id)).length > 0) throw new AppError('CONFLICT', 'The region still has probes; delete them first');
  if (!(await deps.regions.drop(id))) throw notFound('Region');
  await deps.enrolmentKeys.deleteOfRegion(region);
  await releaseFor(deps, region, 'regions');
  await deps.directory.refresh();
}

/** In the same order. Takes two queries for any number of regions. */
async function withCounts(
  deps: FleetDeps, ctx: OrganizationContext, regions: RegionDoc[],
): Promise<RegionView[]> {
  const { organizationId } = ctx.tenant;
  const [probes, monitors] = await Promise.all([
    deps.probes.visibleTo(organizationId), deps.monitorsByRegion(organizationId),
  ]);
  const online = new Map<string, number>();
  for (const probe of probes) {
    if (deps.liveness.isLive(probe)) online.set(probe.region_id, (online.get(probe.region_id) ?? 0) + 1);
  }
  return regions.map((region) => {
    const { _id: id } = region;
    return viewRegion(region, { probes_online: online.get(id) ?? 0, monitors: monitors.get(id) ?? 0 });
  });
}
