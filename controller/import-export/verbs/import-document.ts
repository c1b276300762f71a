import type { ProjectContext } from '../../http/route.ts';
import { validationError } from '../../http/validation.ts';
import { applyImport } from '../../monitors/verbs/apply-import.ts';
import { planImport, type PlannedMonitor } from '../../monitors/verbs/plan-import.ts';
import type { ConfigurationDeps } from '../deps.ts';
import { parentsFirst, planGroups, type PlannedGroup } from '../group-rules.ts';
import type { NamedGroup } from '../ports.ts';
import type { DocumentInput } from '../schema.ts';

/** One group or monitor of a document, and what becomes of it. */
export interface ImportedItem {
  name: string;
  action: 'create' | 'update' | 'unchanged';
  /** Names of the fields that change. */
  changes: string[];
  /** Null: it is not there yet. */
  id: string | null;
}

export interface ImportOutcome {
  groups: ImportedItem[];
  monitors: ImportedItem[];
}

/**
 * Makes the project's groups and monitors as the document says, found by their names; with `isDryRun` only tells what that would be.
 * The same document again changes nothing. Everything is checked before anything is written: throws VALIDATION_ERROR that names every
 * bad item by its path, and what limits a write runs into.
 */
export async function importDocument(deps: ConfigurationDeps, ctx: ProjectContext, document: DocumentInput, isDryRun: boolean): Promise<ImportOutcome> {
  const existing = await deps.groups.all(ctx.tenant);
  const { groups, issues } = planGroups(document.groups, existing);
  const known = new Set([...existing, ...groups].map(({ name }) => name));
  for (const [at, { group }] of document.monitors.entries()) {
    if (typeof group === 'string' && !known.has(group)) issues.push({ code: 'custom', path: ['monitors', at, 'group'], message: 'Unknown group' });
  }
  if (issues.length > 0) throw validationError(issues);
  const wanted = document.monitors.map(({ group, status, ...input }) => ({ input, group, status }));
  const monitors = await planImport(deps.monitors, ctx, wanted, new Map(existing.map(({ _id, name }) => [_id, name])));
  if (isDryRun) return outcomeOf(groups, monitors, new Map(existing.map(({ _id, name }) => [name, _id])), null);
  const groupIds = await applyGroups(deps, ctx, groups, existing);
  return outcomeOf(groups, monitors, groupIds, await applyImport(deps.monitors, ctx, monitors, groupIds));
}

/** Ids by name, of those that there were too. */
async function applyGroups(deps: ConfigurationDeps, ctx: ProjectContext, groups: PlannedGroup[], existing: NamedGroup[]): Promise<Map<string, string>> {
  const ids = new Map(existing.map(({ _id, name }) => [name, _id]));
  for (const { name, current, description, parent, changes } of parentsFirst(groups, existing)) {
    const place = parent === null ? null : (ids.get(parent) ?? null);
    if (current === null) ids.set(name, (await deps.groups.create(ctx, { name, description, parent_group_id: place }))._id);
    else if (changes.length > 0) await deps.groups.change(ctx, current._id, { description, parent_group_id: place });
  }
  return ids;
}

function outcomeOf(groups: PlannedGroup[], monitors: PlannedMonitor[], groupIds: ReadonlyMap<string, string>, monitorIds: string[] | null): ImportOutcome {
  const itemOf = (plan: { current: object | null; changes: string[] }, name: string, id: string | null): ImportedItem => ({
    name, action: plan.current === null ? 'create' : plan.changes.length > 0 ? 'update' : 'unchanged', changes: plan.changes, id,
  });
  return {
    groups: groups.map((plan) => itemOf(plan, plan.name, groupIds.get(plan.name) ?? null)),
    monitors: monitors.map((plan, at) => itemOf(plan, plan.input.name, monitorIds?.[at] ?? plan.current?._id ?? null)),
  };
}
