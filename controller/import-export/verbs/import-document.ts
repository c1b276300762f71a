import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { ConfigurationDeps } from '../deps.ts';
import { Faults } from '../faults.ts';
import { ProjectNames } from '../project-names.ts';
import { SECTIONS } from '../registry.ts';
import type { ImportedItem } from '../responses.ts';
import type { DocumentInput, ImportQuery } from '../schema.ts';
import type { ImportScope, Planned, SectionName, Stored } from '../section.ts';
import { planImport, type SectionPlan } from './plan-import.ts';

export type Imported = Record<SectionName, ImportedItem[]>;

/**
 * Makes the project as the document says; a dry run only reports the changes. Validates everything before it
 * writes anything. Throws VALIDATION_ERROR with the paths of all invalid items, CONFLICT with the items that
 * another owner manages, and the errors of single writes.
 */
export async function importDocument(
  deps: ConfigurationDeps, ctx: ProjectContext, document: DocumentInput, query: ImportQuery,
): Promise<Imported> {
  const scope: ImportScope = {
    deps, ctx, owner: query.owner ?? null, names: new ProjectNames(), faults: new Faults(),
    variables: { after: [], changed: [], removed: [] },
  };
  if (query.dry_run) return reportOf(await planImport(scope, document, query.prune), scope, true);
  return deps.imports.run(ctx.tenant, async () => {
    const plans = await planImport(scope, document, query.prune);
    const imported = reportOf(plans, scope, false);
    refuseConflicts(imported);
    for (const { name, removed } of plans.toReversed()) await SECTIONS[name].remove(scope, removed);
    for (const { name, planned } of plans) await SECTIONS[name].write(scope, planned);
    return imported;
  });
}

function refuseConflicts(imported: Imported): void {
  const conflicts = Object.entries(imported).flatMap(([section, items]) => (
    items.filter(({ action }) => action === 'conflict')
      .map(({ name, id, managed_by }) => ({ section, name, id, managed_by }))
  ));
  const [first] = conflicts;
  if (first === undefined) return;
  const others = conflicts.length === 1 ? '' : `, and ${conflicts.length - 1} more`;
  const message = `Managed by another owner: ${first.name} (${first.managed_by})${others}. Nothing was changed`;
  throw new AppError('CONFLICT', message, { details: { conflicts } });
}

function reportOf(plans: SectionPlan[], { owner }: ImportScope, isDryRun: boolean): Imported {
  return Object.fromEntries(plans.map(({ name, planned, removed }) => {
    const { nameOf } = SECTIONS[name];
    const written = planned.map((one): ImportedItem => {
      const { item, current, differences, id } = one;
      const changes = [...new Set(differences.map(({ field }) => field.split('.', 1)[0] as string))];
      const shown = current === null && isDryRun ? null : id;
      return { name: nameOf(item as Stored), changes, differences, id: shown, ...actionOf(one, owner) };
    });
    const deleted = removed.map((doc): ImportedItem =>
      ({ name: nameOf(doc), action: 'delete', changes: [], differences: [], id: doc._id }));
    return [name, [...written, ...deleted]];
  })) as Imported;
}

function actionOf(
  { current, differences }: Planned<object, Stored, object>, owner: string | null,
): Pick<ImportedItem, 'action' | 'managed_by'> {
  if (current === null) return { action: 'create' };
  const { managed_by = null } = current;
  if (owner !== null && managed_by !== null && managed_by !== owner) return { action: 'conflict', managed_by };
  return { action: differences.length > 0 ? 'update' : 'unchanged' };
}
