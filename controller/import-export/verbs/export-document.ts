import { reachesProjectRole } from '../../access/tenant.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { ConfigurationDeps } from '../deps.ts';
import { findByNames, learnMonitors } from '../monitor-names.ts';
import { ProjectNames } from '../project-names.ts';
import { SECTION_NAMES, SECTIONS } from '../registry.ts';
import { MAX_MONITORS } from '../schema.ts';
import type { ExportedDocument } from '../responses.ts';
import type { Scope, SectionName, Stored } from '../section.ts';

/**
 * The project in the format of an import, with its monitors from `offset` on. Omits what the caller may not
 * read, and conceals credentials.
 */
export async function exportDocument(
  deps: ConfigurationDeps, ctx: ProjectContext, offset: number,
): Promise<ExportedDocument> {
  const scope: Scope = { deps, ctx, names: new ProjectNames() };
  const isAdmin = reachesProjectRole(ctx.role, 'admin');
  const sections: { name: SectionName; docs: Stored[] }[] = [];
  for (const name of SECTION_NAMES) {
    sections.push({ name, docs: await SECTIONS[name].load(scope, { offset }) });
  }
  await addNames(scope, sections);
  const isLast = sections.every(({ name, docs }) => name !== 'monitors' || docs.length < MAX_MONITORS);
  const lists = sections.flatMap(({ name, docs }) => {
    const { isForAdmins, isInLastDocument, isConcealedFrom, view } = SECTIONS[name];
    if (isForAdmins === 'both' && !isAdmin) return [];
    const isConcealed = isConcealedFrom?.(ctx.role) ?? false;
    const shown = isInLastDocument && !isLast ? [] : docs;
    return [[name, shown.map((doc) => view(doc, scope.names, isConcealed))]];
  });
  return { version: 1, ...Object.fromEntries(lists) as Partial<ExportedDocument> };
}

/** Of monitors, only those to which others refer; of those to which other lists do, also their namesakes. */
async function addNames(scope: Scope, sections: { name: SectionName; docs: Stored[] }[]): Promise<void> {
  const { names } = scope;
  const referenced: string[] = [];
  for (const { name, docs } of sections) {
    const { nameOf, referenceOf, monitorsOf } = SECTIONS[name];
    const ids = docs.flatMap((doc) => monitorsOf?.(doc) ?? []);
    await learnMonitors(scope, ids);
    if (name === 'monitors') continue;
    referenced.push(...names.namesOf(ids));
    for (const doc of docs) names.learn(doc._id, referenceOf?.(doc, doc) ?? nameOf(doc));
  }
  for (const monitor of await findByNames(scope, [...new Set(referenced)])) {
    names.add('monitors', monitor.name, { id: monitor._id, target: SECTIONS.monitors.targetOf?.(monitor) });
  }
}
