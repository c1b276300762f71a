import type { ProjectContext } from '../../http/routing/route.ts';
import { brandingInput } from '../../status-pages/schema.ts';
import { allSettings, inDisplayOrder } from '../../status-pages/page-rules.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import type { ExportedPage } from '../responses.ts';
import type { ConfigurationDeps } from '../deps.ts';

const UNSET_BRANDING = Object.fromEntries(Object.keys(brandingInput.shape).map((name) => [name, null]));

/** Oldest first, in the format of an import. */
export async function exportPages(deps: ConfigurationDeps, ctx: ProjectContext): Promise<ExportedPage[]> {
  const pages = (await deps.pages.pages.list(ctx.tenant)).reverse();
  const exported: ExportedPage[] = [];
  // Sequential, because each page may show hundreds of monitors.
  for (const page of pages) exported.push(await exportPage(deps, ctx, page));
  return exported;
}

async function exportPage(
  { monitors: { monitors } }: ConfigurationDeps, { tenant }: ProjectContext, page: PageDoc,
): Promise<ExportedPage> {
  const { components, branding, subdomain, status } = page;
  const found = await monitors.findMany(tenant, components.map(({ monitor_id }) => monitor_id));
  const monitorsById = new Map(found.map((monitor) => [monitor._id, monitor]));
  const namesakes = await monitors.findByNames(tenant, [...new Set(found.map(({ name }) => name))]);
  return {
    ...allSettings(page), subdomain, status, branding: { ...UNSET_BRANDING, ...branding },
    monitors: inDisplayOrder(components).flatMap(({ monitor_id, created_at: _since, ...shown }) => {
      const monitor = monitorsById.get(monitor_id);
      if (monitor === undefined) return [];
      const { name, type, target } = monitor;
      // The target of a heartbeat is its secret token.
      const omitsTarget = type === 'HEARTBEAT' || namesakes.filter((one) => one.name === name).length === 1;
      return [{ monitor: name, ...(omitsTarget ? {} : { target }), ...shown }];
    }),
  };
}
