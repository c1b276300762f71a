import { newId } from '../../../shared/ids.ts';
import { ownedBy } from '../../access/tenant.ts';
import { AppError, notFound, valueTaken } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { fieldError } from '../../http/input/validation.ts';
import { planLimitExceeded } from '../../plans/quota.ts';
import { changedBranding } from '../branding-rules.ts';
import type { PageDeps } from '../deps.ts';
import { replacedComponents, SETTINGS } from '../page-rules.ts';
import { DEFAULT_SETTINGS, type Branding, type Component, type PageDoc, type PageSettings, type Publication } from '../page.ts';
import type { BrandingInput, ComponentsInput, PageChangeInput, PageInput } from '../schema.ts';
import type { PageChange } from '../store.ts';
import { completePage, loadPage, type WholePage } from './read-pages.ts';

/** Longer than changing a page takes. */
const CHANGE_TIMEOUT_MS = 60_000;

/** Throws PLAN_LIMIT_EXCEEDED, INSUFFICIENT_PLAN, SLUG_ALREADY_TAKEN. An import sets fields in `own`. */
export async function createPage(
  deps: PageDeps, ctx: ProjectContext, input: PageInput, own: Partial<Pick<PageDoc, '_id' | 'managed_by'>> = {},
): Promise<WholePage> {
  const { organizationId } = ctx.tenant;
  const settings = settingsOf(input);
  await checkDomain(deps, organizationId, settings);
  const { subdomain } = input;
  if (await isReserved(deps, ctx, subdomain)) throw slugTaken();
  const reservation = await deps.quota.reserve(organizationId, 'status_pages');
  if (!reservation.isGranted) {
    throw planLimitExceeded('status page', reservation.limit, reservation.usage);
  }
  const page: PageDoc = {
    ...DEFAULT_SETTINGS, _id: newId(ctx.now), ...ownedBy(ctx.tenant), subdomain,
    status: 'draft', components: [], verified_domain: null, last_published_at: null,
    branding: changedBranding(null, input.branding, input), created_at: ctx.now, updated_at: ctx.now,
    name: input.name, ...settings, ...own,
  };
  if (await deps.freed.isReservedFor(subdomain, organizationId, ctx.now)) {
    await deps.pages.dropDraftOfOthers(subdomain, organizationId);
  }
  if (await deps.pages.insertIfFree(page)) {
    // Its former page may have been deleted since the first check. A deletion reserves the subdomain before
    // freeing it.
    if (!(await isReserved(deps, ctx, subdomain))) return completePage(deps, ctx, page);
    await deps.pages.delete(ctx.tenant, page._id);
  }
  await deps.quota.release(organizationId, 'status_pages');
  throw slugTaken();
}

async function isReserved({ freed }: PageDeps, { tenant, now }: ProjectContext, subdomain: string) {
  return (await freed.reservedForOthers([subdomain], tenant.organizationId, now)).length > 0;
}

function slugTaken(): AppError {
  return valueTaken('SLUG_ALREADY_TAKEN', 'subdomain', 'This subdomain is taken');
}

/** Changes only the given fields. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED, INSUFFICIENT_PLAN. */
export async function changePage(
  deps: PageDeps, ctx: ProjectContext, id: string, input: PageChangeInput, managed_by?: string,
) {
  const seen = await loadPage(deps, ctx.tenant, id);
  if (input.subdomain !== undefined && input.subdomain !== seen.subdomain) {
    throw fieldError('subdomain', 'The subdomain of a status page cannot be changed');
  }
  const settings = settingsOf(input);
  if (settings.custom_domain !== seen.custom_domain) {
    await checkDomain(deps, ctx.tenant.organizationId, settings);
  }
  const branding = changedBranding(seen.branding, input.branding, input);
  const isMoved = settings.custom_domain !== undefined && settings.custom_domain !== seen.custom_domain;
  if (!isMoved) return write(deps, ctx, seen, { ...settings, branding, managed_by });
  const moved = await write(deps, ctx, seen, { ...settings, branding, managed_by, verified_domain: null });
  await releaseDomain(deps, ctx, seen);
  return moved;
}

/** Changes only the given fields. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function changeBranding(
  deps: PageDeps, ctx: ProjectContext, id: string, input: BrandingInput,
): Promise<Branding> {
  const seen = await loadPage(deps, ctx.tenant, id);
  const { page } = await write(deps, ctx, seen, { branding: changedBranding(seen.branding, input) ?? {} });
  return page.branding ?? {};
}

/** Replaces the monitors of a page. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED, VALIDATION_ERROR. */
export async function attachMonitors(
  deps: PageDeps, ctx: ProjectContext, id: string, { monitors: requested }: ComponentsInput,
): Promise<WholePage> {
  const seen = await loadPage(deps, ctx.tenant, id);
  const found = await deps.monitors.shown(ctx.tenant, requested.map(({ monitor_id }) => monitor_id));
  const foundIds = new Set(found.map((monitor) => monitor._id));
  const unknown = requested.findIndex(({ monitor_id }) => !foundIds.has(monitor_id));
  if (unknown !== -1) throw fieldError(`monitors.${unknown}.monitor_id`, 'Unknown monitor');
  return write(deps, ctx, seen, { components: replacedComponents(seen.components, requested, ctx.now) });
}

/**
 * Leaves a page already in that state unchanged. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED, and
 * SLUG_ALREADY_TAKEN for a draft whose creation was interrupted before its subdomain was checked again.
 */
export async function movePage(deps: PageDeps, ctx: ProjectContext, id: string, to: Publication) {
  const seen = await loadPage(deps, ctx.tenant, id);
  if (seen.status === to) return completePage(deps, ctx, seen);
  if (to !== 'published') return write(deps, ctx, seen, { status: to });
  if (await isReserved(deps, ctx, seen.subdomain)) throw slugTaken();
  return withOpenIncidents(deps, ctx, seen.components, async () =>
    changed(deps, ctx, await deps.pages.publish(ctx.tenant, id, ctx.now)));
}

/**
 * Removes the page and reserves its subdomain for the organization. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED.
 */
export async function deletePage(deps: PageDeps, ctx: ProjectContext, id: string): Promise<void> {
  const seen = await loadPage(deps, ctx.tenant, id);
  // First, so that an interrupted deletion can be repeated.
  await deps.posts.deleteOfPage(ctx.tenant, id);
  await deps.subscribers.deleteOfPage(ctx.tenant, id);
  await releaseDomain(deps, ctx, seen);
  await deps.freed.reserve(seen.subdomain, ctx.tenant.organizationId, ctx.now);
  if (!(await deps.pages.delete(ctx.tenant, id))) throw notFound('Status page');
  deps.changed(seen.subdomain, false);
  await deps.quota.release(ctx.tenant.organizationId, 'status_pages');
}

/** Runs before the subdomain is freed: the domain must not lead to its next owner. */
async function releaseDomain(deps: PageDeps, { tenant }: ProjectContext, seen: PageDoc): Promise<void> {
  await deps.domains.releaseOfPage(tenant, seen._id);
  if (seen.custom_domain !== null) deps.domainChanged(seen.custom_domain);
}

async function write(deps: PageDeps, ctx: ProjectContext, seen: PageDoc, change: PageChange) {
  const set = async () =>
    changed(deps, ctx, await deps.pages.set(ctx.tenant, seen._id, { ...change, updated_at: ctx.now }));
  const { status = seen.status, components = seen.components } = change;
  return status === 'published' ? withOpenIncidents(deps, ctx, components, set) : set();
}

/**
 * Changes a page and schedules posts for its monitors' open incidents. Scheduling them before the change,
 * too, covers a crash right after it.
 */
async function withOpenIncidents<T>(
  { incidents, followIncidents }: PageDeps, { tenant, now }: ProjectContext, components: readonly Component[],
  change: () => Promise<T>,
): Promise<T> {
  if (components.length === 0) return change();
  const monitorIds = components.map(({ monitor_id }) => monitor_id);
  await incidents.schedulePosting(tenant, monitorIds, now + CHANGE_TIMEOUT_MS, now);
  const done = await change();
  await incidents.schedulePosting(tenant, monitorIds, now, now);
  followIncidents();
  return done;
}

function changed(deps: PageDeps, ctx: ProjectContext, page: PageDoc | null): Promise<WholePage> {
  if (page === null) throw notFound('Status page');
  deps.changed(page.subdomain, page.status === 'published');
  return completePage(deps, ctx, page);
}

/** The settings in a request, apart from branding and monitors. */
export function settingsOf(input: PageChangeInput): Partial<PageSettings> {
  const names = SETTINGS.filter((name) => input[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, input[name]]));
}

/** Throws INSUFFICIENT_PLAN. */
export async function checkDomain(
  { quota }: Pick<PageDeps, 'quota'>, organizationId: string, { custom_domain: domain = null }: Partial<PageSettings>,
): Promise<void> {
  if (domain === null || (await quota.limitsOf(organizationId)).has_custom_domain) return;
  throw new AppError('INSUFFICIENT_PLAN', 'Custom domains require a higher plan', {
    details: { required_plan: 'pro' },
  });
}
