import { AppError, notFound } from '../../../shared/errors.ts';
import type { OrganizationContext } from '../../http/route.ts';
import type { RegionView } from '../answers.ts';
import type { RegionDoc } from '../probe.ts';
import type { RegionChange, RegionInput } from '../schema.ts';
import { viewRegion } from '../views.ts';
import { findRegion, releaseFor, requireManager, reserveFor, type FleetDeps } from './probes.ts';

/** Regions that the caller may use, in order of id. */
export async function listRegions(deps: FleetDeps, ctx: OrganizationContext): Promise<RegionView[]> {
  const regions = await deps.regions.visibleTo(ctx.tenant.organizationId);
  return Promise.all(regions.map((region) => withCounts(deps, ctx, region)));
}

/**
 * Throws RESOURCE_ALREADY_EXISTS when the id is taken, even by a region that the caller cannot see, and
 * FAIR_USE_LIMIT_REACHED.
 */
export async function createRegion(
  deps: FleetDeps,
  ctx: OrganizationContext,
  input: RegionInput,
): Promise<RegionView> {
  const { id, visibility, ...place } = input;
  const organizationId = visibility === 'shared' ? null : ctx.tenant.organizationId;
  requireManager(ctx, { organization_id: organizationId });
  const owner = { visibility, organization_id: organizationId };
  const region: RegionDoc = { _id: id, created_at: ctx.now, to_place: 0, ...owner, ...place };
  await reserveFor(deps, region, 'regions');
  if (!(await deps.regions.insertIfFree(region))) {
    await releaseFor(deps, region, 'regions');
    throw new AppError('RESOURCE_ALREADY_EXISTS', 'A region of that id exists');
  }
  await deps.directory.refresh();
  return viewRegion(region, { probes_online: 0, monitors: 0 });
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
  return withCounts(deps, ctx, changed);
}

/** Throws CONFLICT while the region has probes. */
export async function deleteRegion(deps: FleetDeps, ctx: OrganizationContext, id: string): Promise<void> {
  const region = await findRegion(deps, ctx, id);
  requireManager(ctx, region);
  if ((await deps.probes.ofRegion(id)).length > 0) throw new AppError('CONFLICT', 'The region has probes');
  if (!(await deps.regions.drop(id))) throw notFound('Region');
  await releaseFor(deps, region, 'regions');
  await deps.directory.refresh();
}

async function withCounts(deps: FleetDeps, ctx: OrganizationContext, region: RegionDoc): Promise<RegionView> {
  const [probes, monitors] = await Promise.all([
    deps.probes.ofRegion(region._id),
    deps.countMonitors(ctx.tenant.organizationId, region._id),
  ]);
  const online = probes.filter((probe) => deps.liveness.isLive(probe));
  return viewRegion(region, { probes_online: online.length, monitors });
}
