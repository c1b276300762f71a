import { AppError, notFound } from '../../../shared/errors.ts';
import type { OrganizationContext } from '../../http/route.ts';
import type { RegionView } from '../answers.ts';
import type { RegionDoc } from '../probe.ts';
import type { RegionChange, RegionInput } from '../schema.ts';
import { viewRegion } from '../views.ts';
import { findRegion, releaseFor, requireManager, reserveFor, type FleetDeps } from './probes.ts';

/** Regions that the caller may use, in order of id. */
export async function listRegions(deps: FleetDeps, ctx: OrganizationContext): Promise<RegionView[]> {
  return withCounts(deps, ctx, await deps.regions.visibleTo(ctx.tenant.organizationId));
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
  const [view] = await withCounts(deps, ctx, [changed]);
  return view as RegionView;
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

/** In the same order. However many regions there are, this costs two queries. */
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
