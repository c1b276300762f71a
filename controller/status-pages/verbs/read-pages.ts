import { AppError, notFound } from '../../../shared/errors.ts';
import type { Tenant } from '../../accounts/tenant.ts';
import type { ProjectContext } from '../../http/route.ts';
import type { PageDeps } from '../deps.ts';
import { inDisplayOrder } from '../page-rules.ts';
import type { PageDoc } from '../page.ts';

const DAY_HOURS = 24;

/** Throws RESOURCE_NOT_FOUND, and ACCESS_DENIED for a page of another project of the organization. */
export async function loadPage({ pages }: Pick<PageDeps, 'pages'>, tenant: Tenant, id: string): Promise<PageDoc> {
  const page = await pages.findOfOrganization(tenant.organizationId, id);
  if (page === null) throw notFound('Status page');
  if (page.project_id === tenant.projectId) return page;
  throw new AppError('ACCESS_DENIED', 'This status page belongs to another project');
}

export type WholePage = Awaited<ReturnType<typeof completePage>>;

/** A page with its monitors, in the order in which it shows them. */
export async function completePage(deps: PageDeps, { tenant }: ProjectContext, page: PageDoc) {
  const ids = page.components.map((component) => component.monitor_id);
  const [monitors, known] = ids.length === 0 ? [[], new Map<string, never>()] : await Promise.all([
    deps.monitors.findMany(tenant, ids), deps.statistics.periods(ids, [DAY_HOURS]),
  ]);
  const byId = new Map(monitors.map((monitor) => [monitor._id, monitor]));
  const components = inDisplayOrder(page.components).flatMap((component) => {
    const monitor = byId.get(component.monitor_id);
    return monitor === undefined ? [] : [{ component, monitor, known: known.get(monitor._id) }];
  });
  return { page, components };
}

/** All pages of the project, newest first. */
export async function listPages(deps: PageDeps, ctx: ProjectContext): Promise<WholePage[]> {
  const whole: WholePage[] = [];
  // One after another: each may show hundreds of monitors.
  for (const page of await deps.pages.list(ctx.tenant)) whole.push(await completePage(deps, ctx, page));
  return whole;
}

/** Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function readPage(deps: PageDeps, ctx: ProjectContext, id: string): Promise<WholePage> {
  return completePage(deps, ctx, await loadPage(deps, ctx.tenant, id));
}
