import { hashSecret, newId, newSecret } from '../../../shared/ids.ts';
import { AppError, notFound, valueTaken } from '../../errors/app-error.ts';
import type { OrganizationContext } from '../../http/routing/route.ts';
import { fairUseLimitReached, type Quota } from '../../plans/quota.ts';
import { isDuplicateKey } from '../../platform/mongo/mongo-errors.ts';
import type { ProbeView } from '../responses.ts';
import type { FleetDirectory } from '../directory.ts';
import type { EnrolmentKeyStore } from '../enrolment-key-store.ts';
import type { Liveness } from '../liveness.ts';
import type { Mesh } from '../mesh.ts';
import type { ProbeDoc, RegionDoc } from '../probe.ts';
import type { RegionStore } from '../region-store.ts';
import type { ProbeChange, ProbeInput } from '../schema.ts';
import type { ProbeStore } from '../store.ts';
import { isPublicAddress, viewProbe } from '../views.ts';

/** How long an enrolment token is valid. */
const TOKEN_LIFETIME_MS = 15 * 60_000;

export interface FleetDeps {
  probes: ProbeStore;
  enrolmentKeys: EnrolmentKeyStore;
  regions: RegionStore;
  liveness: Pick<Liveness, 'track' | 'statusOf' | 'isLive'>;
  mesh: Pick<Mesh, 'edges'>;
  /** Resolves once NATS accepts the probes as stored after the call. */
  publishIdentities: () => Promise<void>;
  directory: Pick<FleetDirectory, 'refresh' | 'regions' | 'probesOf'>;
  quota: Pick<Quota, 'reserve' | 'release'>;
  /** Checks now whether monitors have to move. */
  rebalance: () => void;
  /** Starts the key rotation that the probe's document requests. */
  rotateKeys: (probe: ProbeDoc) => void;
  /** Numbers of an organization's monitors by region. */
  monitorsByRegion: (organizationId: string) => Promise<Map<string, number>>;
}

/** Everyone may see a shared region, and its organization a private one. */
function maySeeRegion(ctx: OrganizationContext, region: Pick<RegionDoc, 'organization_id'>): boolean {
  return region.organization_id === null || region.organization_id === ctx.tenant.organizationId;
}

/**
 * Instance operators manage shared regions and their probes; owners and admins of an organization manage its
 * private ones.
 */
export function requireManager(ctx: OrganizationContext, of: Pick<RegionDoc, 'organization_id'>): void {
  const isManager = of.organization_id === null ? isOperator(ctx) : ctx.role === 'owner' || ctx.role === 'admin';
  if (!isManager) throw new AppError('INSUFFICIENT_PERMISSIONS', 'Only those who manage this region can do this');
}

function isOperator({ actor }: OrganizationContext): boolean {
  return actor.kind === 'session' && actor.isOperator;
}

/** Tenants see only the public addresses of a shared probe. */
function viewFor(
  deps: FleetDeps, ctx: OrganizationContext, probe: ProbeDoc, edges = deps.mesh.edges(),
): ProbeView {
  const shown = viewProbe(probe, deps.liveness, edges);
  if (probe.organization_id !== null || isOperator(ctx)) return shown;
  return { ...shown, addresses: shown.addresses.filter(isPublicAddress) };
}

/** Probes of the regions that the caller may see, in order of id. */
export async function listProbes(deps: FleetDeps, ctx: OrganizationContext): Promise<ProbeView[]> {
  const probes = await deps.probes.visibleTo(ctx.tenant.organizationId);
  const edges = deps.mesh.edges();
  return probes.map((probe) => viewFor(deps, ctx, probe, edges));
}

/** Throws RESOURCE_NOT_FOUND if the probe does not exist or is in another organization's region. */
export async function readProbe(deps: FleetDeps, ctx: OrganizationContext, id: string): Promise<ProbeView> {
  return viewFor(deps, ctx, await findProbe(deps, ctx, id));
}

/**
 * Returns the probe and, only this once, its enrolment token. Throws RESOURCE_NOT_FOUND for the region,
 * RESOURCE_ALREADY_EXISTS for the name, and FAIR_USE_LIMIT_REACHED.
 */
export async function createProbe(
  deps: FleetDeps,
  ctx: OrganizationContext,
  input: ProbeInput,
): Promise<{ probe: ProbeView; token: string }> {
  const region = await findRegion(deps, ctx, input.region_id);
  requireManager(ctx, region);
  const token = newSecret();
  const probe: ProbeDoc = {
    ...newProbe(region, input.name, ctx.now),
    token_hash: hashSecret(token),
    token_expires_at: ctx.now + TOKEN_LIFETIME_MS,
  };
  await reserveFor(deps, region, 'probes');
  if (!(await deps.probes.insertIfFree(probe))) {
    await releaseFor(deps, region, 'probes');
    throw nameTaken();
  }
  await deps.directory.refresh();
  return { probe: viewProbe(probe, deps.liveness, deps.mesh.edges()), token };
}

/** Renames or drains the probe, or sets its location. Throws RESOURCE_ALREADY_EXISTS for a taken name. */
export async function changeProbe(
  deps: FleetDeps,
  ctx: OrganizationContext,
  id: string,
  change: ProbeChange,
): Promise<ProbeView> {
  requireManager(ctx, await findProbe(deps, ctx, id));
  const changed = await deps.probes.edit(id, change).catch(ifNameTaken);
  if (!changed) throw notFound('Probe');
  await deps.directory.refresh();
  deps.rebalance();
  return viewProbe(changed, deps.liveness, deps.mesh.edges());
}

/** Starts a key rotation now, or once the probe is online. Throws CONFLICT if it has not enrolled. */
export async function rotateProbeKeys(
  deps: FleetDeps, ctx: OrganizationContext, id: string,
): Promise<ProbeView> {
  requireManager(ctx, await findProbe(deps, ctx, id));
  const probe = await deps.probes.requestRotation(id, ctx.now);
  if (!probe) throw new AppError('CONFLICT', 'The probe has not enrolled yet');
  deps.rotateKeys(probe);
  return viewProbe(probe, deps.liveness, deps.mesh.edges());
}

/** Resolves once NATS rejects the probe. Its monitors move right after. */
export async function deleteProbe(deps: FleetDeps, ctx: OrganizationContext, id: string): Promise<void> {
  const probe = await findProbe(deps, ctx, id);
  requireManager(ctx, probe);
  if (!(await revokeAll(deps, [probe], ctx.now))) throw notFound('Probe');
}

/** Deletes the owner's probes in the region. Resolves once NATS rejects them. */
export async function revokeProbes(deps: FleetDeps, region: RegionDoc, now: number): Promise<void> {
  const probes = (await deps.probes.ofRegion(region._id))
    .filter((probe) => probe.organization_id === region.organization_id);
  await revokeAll(deps, probes, now);
}

export type RevocationDeps = Pick<FleetDeps, 'probes' | 'quota' | 'publishIdentities' | 'rebalance'> & {
  directory: Pick<FleetDirectory, 'refresh'>;
};

/** Deletes the probes. Resolves once NATS rejects them; to false if all were deleted before. */
export async function revokeAll(
  deps: RevocationDeps, probes: readonly ProbeDoc[], now: number,
): Promise<boolean> {
  let count = 0;
  for (const probe of probes) {
    if (!(await deps.probes.markRemoved(probe._id, now))) continue;
    await releaseFor(deps, probe, 'probes');
    count += 1;
  }
  if (count === 0) return false;
  await deps.publishIdentities();
  await deps.directory.refresh();
  deps.rebalance();
  return true;
}

/** A probe that has not enrolled yet. */
export function newProbe(region: RegionDoc, name: string, now: number): ProbeDoc {
  return {
    _id: newId(now),
    region_id: region._id,
    organization_id: region.organization_id,
    name,
    created_at: now,
    enrolled_at: null,
    version: null,
    capabilities: [],
    provider: null,
    asn: null,
    addresses: [],
    rotation_asked_at: null,
    keys_changed_at: null,
    quarantine: null,
    notified_offline: null,
    notified_quarantine: null,
    is_draining: false,
    removed_at: null,
    is_online: false,
    last_beat_at: null,
  };
}

async function findProbe(deps: FleetDeps, ctx: OrganizationContext, id: string): Promise<ProbeDoc> {
  const probe = await deps.probes.find(id);
  if (!probe || !maySeeRegion(ctx, probe)) throw notFound('Probe');
  return probe;
}

/** Throws RESOURCE_NOT_FOUND if the region does not exist or belongs to another organization. */
export async function findRegion(deps: FleetDeps, ctx: OrganizationContext, id: string): Promise<RegionDoc> {
  const region = await deps.regions.find(id);
  if (!region || !maySeeRegion(ctx, region)) throw notFound('Region');
  return region;
}

type Owned = Pick<RegionDoc, 'organization_id'>;
type Limited = 'regions' | 'probes';

/** Reserves one more in the owner's quota; shared ones have none. Throws FAIR_USE_LIMIT_REACHED. */
export async function reserveFor({ quota }: Pick<FleetDeps, 'quota'>, owned: Owned, limited: Limited): Promise<void> {
  if (owned.organization_id === null) return;
  const reservation = await quota.reserve(owned.organization_id, limited);
  if (reservation.isGranted) return;
  throw fairUseLimitReached(`private ${limited}`, reservation.limit, reservation.usage);
}

export async function releaseFor({ quota }: Pick<FleetDeps, 'quota'>, owned: Owned, limited: Limited): Promise<void> {
  if (owned.organization_id !== null) await quota.release(owned.organization_id, limited);
}

function nameTaken(): AppError {
  return valueTaken('RESOURCE_ALREADY_EXISTS', 'name', 'The region already has a probe with this name');
}

function ifNameTaken(error: unknown): never {
  throw isDuplicateKey(error) ? nameTaken() : error;
}
