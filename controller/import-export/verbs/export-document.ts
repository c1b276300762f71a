import type { z } from 'zod';
import { canSeeCredentials } from '../../access/tenant.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { viewSettings } from '../../monitors/views.ts';
import type { exportResponse } from '../responses.ts';
import type { ConfigurationDeps } from '../deps.ts';
import { MAX_MONITORS } from '../schema.ts';
import { namesOf } from './monitor-names.ts';
import { exportPages } from './export-pages.ts';

/**
 * The project's groups, and its monitors from `offset` on, in the format of an import. Pages are only in the
 * document with the last monitors. Conceals credentials from roles that may not see them.
 */
export async function exportDocument(
  deps: ConfigurationDeps, ctx: ProjectContext, offset: number,
): Promise<z.input<typeof exportResponse>> {
  const groups = await deps.groups.listAll(ctx.tenant);
  const names = new Map(groups.map(({ _id, name }) => [_id, name]));
  const nameOf = (id: string | null | undefined) => names.get(id ?? '') ?? null;
  const isConcealed = !canSeeCredentials(ctx.role);
  const monitors = await deps.monitors.monitors.oldest(ctx.tenant, offset, MAX_MONITORS);
  const dependencyNames = await namesOf(deps.monitors, ctx.tenant, monitors.flatMap((doc) => doc.depends_on));
  return {
    version: 1,
    groups: groups.map(({ name, description, parent_group_id: parent }) =>
      ({ name, description, parent: nameOf(parent) })),
    monitors: monitors.map((doc) => {
      const depends_on = doc.depends_on.flatMap((id) => dependencyNames.get(id) ?? []);
      return viewSettings(doc, { group: nameOf(doc.group_id), depends_on }, isConcealed);
    }),
    status_pages: monitors.length < MAX_MONITORS ? await exportPages(deps, ctx) : [],
  };
}
