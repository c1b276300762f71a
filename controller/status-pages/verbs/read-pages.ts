import type { Tenant } from '../../access/tenant.ts';
import { AppError, notFound } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { PageDeps } from '../deps.ts';
import { inDisplayOrder } from '../page-rules.ts';
import type { Component, PageDoc } from '../page.ts';

const DAY_HOURS = 24;

/** Throws RESOURCE_NOT_FOUND, and ACCESS_DENIED for a page of another project of the organization. */
export async function loadPage({ pages }: Pick<PageDeps, 'pages'>, tenant: Tenant, id: string): Promise<PageDoc> {
  const page = await pages.findOfOrganization(tenant.organizationId, id);
  if (page === null) throw notFound('Status page');
  if (page.project_id === tenant.projectId) return page;
  throw new AppError('ACCESS_DENIED', 'This status page belongs to another project');
}

/**
 * The components with their monitors in display order, each with its uptime over each of `hours`. Leaves out
 * components whose monitor was deleted.
 */
export async function readComponents(
  { monitors, statistics }: Pick<PageDeps, 'monitors' | 'statistics'>, tenant: Tenant,
  components: readonly Component[], hours: readonly number[],
) {
  if (components.length === 0) return [];
  const ids = components.map((component) => component.monitor_id);
  const [found, statsById] =
    await Promise.all([monitors.shown(tenant, ids), statistics.periods(ids, hours)]);
  const byId = new Map(found.map((monitor) => [monitor._id, monitor]));
  return inDisplayOrder(components).flatMap((component) => {
    const monitor = byId.get(component.monitor_id);
    return monitor === undefined ? [] : [{ component, monitor, stats: statsById.get(monitor._id) }];
  });
}

export type WholePage = Awaited<ReturnType<typeof completePage>> & { subscriberCount?: number };

/** A page with its monitors in display order, and its visits. */
export async function completePage(deps: PageDeps, { tenant, now }: ProjectContext, page: PageDoc) {
  const [components, visits] = await Promise.all([
    readComponents(deps, tenant, page.components, [DAY_HOURS]), deps.visits.of(page._id, now),
  ]);
  return { page, components, visits };
}

/** All pages of the project, newest first. */
export async function listPages(deps: PageDeps, ctx: ProjectContext): Promise<WholePage[]> {
  const whole: WholePage[] = [];
  // One after another: each may show hundreds of monitors.
  for (const page of await deps.pages.list(ctx.tenant)) {
    const subscriberCount = await deps.subscribers.countVerified(page._id);
    whole.push({ ...(await completePage(deps, ctx, page)), subscriberCount });
  }
  return whole;
}

/** Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function readPage(deps: PageDeps, ctx: ProjectContext, id: string): Promise<WholePage> {
  return completePage(deps, ctx, await loadPage(deps, ctx.tenant, id));
}
