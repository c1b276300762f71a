import { isDeepStrictEqual } from 'node:util';
import { grouped } from '../../../shared/grouped.ts';
import { newId } from '../../../shared/ids.ts';
import { reachesProjectRole } from '../../access/tenant.ts';
import { AppError } from '../../errors/app-error.ts';
import { differencesOf, type Difference } from '../difference.ts';
import { byText, matchByName } from '../match-by-name.ts';
import { learnMonitors } from '../monitor-names.ts';
import { SECTION_NAMES, SECTIONS } from '../registry.ts';
import type { DocumentInput } from '../schema.ts';
import type {
  AnySection, ImportScope, ImportSelection, Matched, Planned, Rest, SectionName, Stored,
} from '../section.ts';

/** Items compared before the event loop gets a turn. */
const ITEMS_PER_TURN = 100;

/** More than any similarity. */
const OWNERSHIP = 1_000_000;

export interface SectionPlan extends Rest<Stored> {
  name: SectionName;
  planned: Planned<object, Stored, object>[];
}

interface MatchedSection extends Rest<Stored> {
  name: SectionName;
  matched: Matched<object, Stored>[];
}

/**
 * Plans the changes of a document, in the order in which they are written. Writes nothing. Throws
 * VALIDATION_ERROR with the paths of all invalid items, else the error of the first exceeded limit.
 */
export async function planImport(
  scope: ImportScope, document: DocumentInput, isPruning: boolean,
): Promise<SectionPlan[]> {
  const referenced = SECTION_NAMES.flatMap((name) => {
    const { monitorsIn } = SECTIONS[name];
    return monitorsIn === undefined ? [] : document[name].flatMap((item) => monitorsIn(item));
  });
  const sections: MatchedSection[] = [];
  for (const name of SECTION_NAMES) {
    refuseRole(scope, SECTIONS[name], document[name].length > 0);
    const items: object[] = document[name];
    const named = items.map((item) => SECTIONS[name].nameOf(item as Stored));
    const names = [...new Set(name === 'monitors' ? [...named, ...referenced] : named)];
    const selection = { names, prunedOwner: isPruning ? scope.owner : null };
    sections.push(await matchSection(scope, name, items, selection));
  }
  await learnMonitors(scope, sections.flatMap(({ name, matched }) => {
    const { monitorsOf } = SECTIONS[name];
    return matched.flatMap(({ current }) => (current === null ? [] : monitorsOf?.(current) ?? []));
  }));
  const plans: SectionPlan[] = [];
  for (const { name, matched, ...rest } of sections) {
    const next = await SECTIONS[name].plan(scope, matched, rest);
    plans.push({ name, ...rest, planned: await plannedItems(scope, SECTIONS[name], matched, next) });
  }
  scope.faults.throwIfAny();
  for (const { name, planned, ...rest } of plans) await SECTIONS[name].check?.(scope, planned, rest);
  return plans;
}

/** Matches the items, and adds the names to which others may refer. */
async function matchSection(
  scope: ImportScope, name: SectionName, items: object[], selection: ImportSelection,
): Promise<MatchedSection> {
  const section = SECTIONS[name];
  const { ctx: { now }, names, owner } = scope;
  const docs = await section.load(scope, selection);
  const currents = section.match?.(items, docs) ?? matchByName(items, docs, {
    nameOf: section.nameOf,
    similarity: (item: object, doc) => (section.similarity?.(item, doc) ?? 0) + ownershipOf(doc, owner),
  });
  const matched = items.map((item, at): Matched<object, Stored> => {
    const current = currents[at] ?? null;
    // Increasing ids keep the document's order in lists by creation time.
    return { item, at, current, id: current?._id ?? newId(now + at) };
  });
  const ids = new Set(currents.map((doc) => doc?._id));
  const unmatched = docs.filter(({ _id }) => !ids.has(_id));
  const { prunedOwner } = selection;
  const isRemoved = ({ managed_by }: Stored) => prunedOwner !== null && managed_by === prunedOwner;
  const rest = { others: unmatched.filter((doc) => !isRemoved(doc)), removed: unmatched.filter(isRemoved) };
  refuseRole(scope, section, rest.removed.length > 0);
  const referenceOf = (item: object, current: Stored | null) =>
    section.referenceOf?.(item, current) ?? section.nameOf(item as Stored);
  for (const [reference, namesakes] of grouped(matched, ({ item, current }) => referenceOf(item, current))) {
    if (namesakes.length > 1) namesakes.sort((one, other) => byText(items)(one.at, other.at));
    for (const { item, current, id } of namesakes) {
      const target = section.targetOf?.(item) ?? (current === null ? undefined : section.targetOf?.(current));
      names.add(name, reference, { id, target });
    }
  }
  for (const doc of rest.others) {
    names.add(name, referenceOf(doc, doc), { id: doc._id, target: section.targetOf?.(doc) });
  }
  for (const doc of rest.removed) names.learn(doc._id, section.nameOf(doc));
  return { name, matched, ...rest };
}

/** Of items with one name, an owner's own come before those of nobody, and others last. */
function ownershipOf({ managed_by = null }: Stored, owner: string | null): number {
  if (owner === null) return 0;
  return managed_by === owner ? 2 * OWNERSHIP : Number(managed_by === null) * OWNERSHIP;
}

/** Omits items with faults. */
async function plannedItems(
  scope: ImportScope, section: AnySection, matched: Matched<object, Stored>[], next: (object | null)[],
): Promise<SectionPlan['planned']> {
  const { owner } = scope;
  const planned: SectionPlan['planned'] = [];
  for (const [place, one] of matched.entries()) {
    if (place % ITEMS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    const settings = next[place] ?? null;
    if (settings === null) continue;
    const { current } = one;
    const differences = current === null
      ? [] : changesOf(scope, section, current, { ...current, ...settings });
    if (current !== null && owner !== null && current.managed_by !== owner) {
      differences.push({ field: 'managed_by', before: current.managed_by ?? null, after: owner });
    }
    planned.push({ ...one, next: settings, differences });
  }
  return planned;
}

function changesOf({ names }: ImportScope, section: AnySection, before: Stored, after: Stored): Difference[] {
  const viewed = (doc: Stored, isConcealed: boolean) =>
    ({ ...section.view(doc, names, isConcealed), ...section.comparedFields?.(doc, isConcealed) });
  const [seen, wanted] = [viewed(before, false), viewed(after, false)];
  if (isDeepStrictEqual(seen, wanted)) return [];
  return differencesOf(seen, wanted, { before: viewed(before, true), after: viewed(after, true) });
}

function refuseRole({ ctx }: ImportScope, { isForAdmins, noun }: AnySection, isChanged: boolean): void {
  if (!isChanged || isForAdmins === undefined || reachesProjectRole(ctx.role, 'admin')) return;
  throw new AppError('INSUFFICIENT_PERMISSIONS', `Only project admins can import ${noun}s`);
}
