import { changeGroup, createGroup } from '../../groups/verbs/write-group.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { validationError } from '../../http/input/validation.ts';
import type { ImportedItem } from '../responses.ts';
import { planGroups, type PlannedGroup } from '../group-rules.ts';
import type { DocumentInput } from '../schema.ts';
import type { ConfigurationDeps } from '../deps.ts';
import { applyMonitors } from './apply-monitors.ts';
import { applyPages, planPages, type PlannedPage } from './import-pages.ts';
import { planMonitors, type PlannedMonitor } from './plan-monitors.ts';

/**
 * Matches groups, monitors and pages by name; `isDryRun` only reports the changes. Validates everything
 * before it writes anything. Throws VALIDATION_ERROR with the paths of all invalid items, and the errors of
 * single writes.
 */
export async function importDocument(
  deps: ConfigurationDeps, ctx: ProjectContext, document: DocumentInput, isDryRun: boolean,
): Promise<Record<'groups' | 'monitors' | 'status_pages', ImportedItem[]>> {
  const existing = await deps.groups.listAll(ctx.tenant);
  const { groups, issues } = planGroups(document.groups, existing);
  const allGroupNames = new Set([...existing, ...groups].map(({ name }) => name));
  for (const [at, { group }] of document.monitors.entries()) {
    if (typeof group !== 'string' || allGroupNames.has(group)) continue;
    issues.push({ code: 'custom', path: ['monitors', at, 'group'], message: 'Unknown group' });
  }
  if (issues.length > 0) throw validationError(issues);
  const groupNames = new Map(existing.map(({ _id, name }) => [_id, name]));
  const monitors = await planMonitors(deps.monitors, ctx, document.monitors, groupNames);
  const pages = await planPages(deps, ctx, document.status_pages, monitors);
  const groupIds = new Map(existing.map(({ _id, name }) => [name, _id]));
  if (!isDryRun) await applyGroups(deps, ctx, groups, groupIds);
  const monitorIds = isDryRun ? [] : await applyMonitors(deps.monitors, ctx, monitors, groupIds);
  const pageIds = isDryRun ? [] : await applyPages(deps, ctx, pages, monitorIds);
  return {
    groups: groups.map((plan) => itemOf(plan.name, plan, groupIds.get(plan.name))),
    monitors: monitors.map((plan, at) => itemOf(plan.item.name, plan, monitorIds[at] ?? plan.current?._id)),
    status_pages:
      pages.map((plan, at) => itemOf(plan.item.name, plan, pageIds[at] ?? plan.current?._id)),
  };
}

/** Adds the ids of new groups to `ids`, by name. */
async function applyGroups(
  deps: ConfigurationDeps, ctx: ProjectContext, groups: PlannedGroup[], ids: Map<string, string>,
): Promise<void> {
  const parentsFirst = [...groups].sort((one, other) => one.level - other.level);
  for (const { name, current, description, parent, differences } of parentsFirst) {
    const wanted = { description, parent_group_id: parent === null ? null : (ids.get(parent) ?? null) };
    if (current === null) ids.set(name, (await createGroup(deps, ctx, { name, ...wanted }))._id);
    else if (differences.length > 0) await changeGroup(deps, ctx, current._id, wanted);
  }
}

type Planned = Pick<PlannedGroup | PlannedMonitor | PlannedPage, 'current' | 'differences'>;

function itemOf(name: string, { current, differences }: Planned, id: string | undefined): ImportedItem {
  const action = current === null ? 'create' : differences.length > 0 ? 'update' : 'unchanged';
  const changes = [...new Set(differences.map(({ field }) => field.split('.', 1)[0] as string))];
  return { name, action, changes, differences, id: id ?? null };
}
