import type { ProjectContext } from '../../http/route.ts';
import { exportMonitor, type ExportedMonitor } from '../../monitors/exported.ts';
import type { ConfigurationDeps } from '../deps.ts';
import { MOST_MONITORS } from '../schema.ts';

export interface ExportedDocument {
  version: 1;
  groups: { name: string; description: string; parent: string | null }[];
  monitors: ExportedMonitor[];
}

/** The project's groups and its monitors from `offset` on, oldest first, as an import takes them. */
export async function exportDocument(deps: ConfigurationDeps, ctx: ProjectContext, offset: number): Promise<ExportedDocument> {
  const groups = await deps.groups.all(ctx.tenant);
  const nameOf = new Map(groups.map(({ _id, name }) => [_id, name]));
  const monitors = await deps.monitors.monitors.oldest(ctx.tenant, offset, MOST_MONITORS);
  return {
    version: 1,
    groups: groups.map(({ name, description, parent_group_id: parent }) => ({ name, description, parent: nameOf.get(parent ?? '') ?? null })),
    monitors: monitors.map((doc) => exportMonitor(doc, nameOf.get(doc.group_id ?? '') ?? null)),
  };
}
