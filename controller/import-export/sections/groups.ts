import { z } from 'zod';
import { MAX_GROUPS, MAX_LEVELS, type GroupDoc } from '../../groups/group.ts';
import { changeGroup, createGroup, deleteGroup, tooManyGroups } from '../../groups/verbs/write-group.ts';
import type { GroupItem } from '../schema.ts';
import { defineSection, type ImportScope, type Matched, type Planned, type Rest } from '../section.ts';

type Settings = Pick<GroupDoc, 'description' | 'parent_group_id'>;

export const groups = defineSection<GroupItem, GroupDoc, Settings>({
  noun: 'group',
  exported: z.strictObject({ name: z.string(), description: z.string(), parent: z.string().nullable() }),
  nameOf: ({ name }) => name,
  load: ({ deps, ctx }) => deps.groups.listAll(ctx.tenant),
  plan: async (scope, matched, rest) => {
    checkTree(scope, matched, rest);
    return matched.map(({ item, current }) => {
      const { description = current?.description, parent } = item;
      const kept = survivingParent(current, rest);
      const parent_group_id = parent === undefined ? kept : scope.names.idOf('groups', parent ?? '');
      return { description: description ?? '', parent_group_id };
    });
  },
  check: async (_scope, planned, { others }) => {
    if (others.length + planned.length > MAX_GROUPS) throw tooManyGroups();
  },
  view: ({ name, description, parent_group_id }, names) => (
    { name, description, parent: names.nameOf(parent_group_id) }
  ),
  write: async ({ deps, ctx, owner }, planned) => {
    for (const { id: _id, item: { name }, current, next, differences } of parentsFirst(planned)) {
      if (current === null) await createGroup(deps, ctx, { name, ...next }, { _id, managed_by: owner });
      else if (differences.length > 0) await changeGroup(deps, ctx, _id, next, owner ?? undefined);
    }
  },
  remove: async ({ deps, ctx }, docs) => {
    for (const { _id } of docs) await deleteGroup(deps, ctx, _id);
  },
});

/** Removed groups leave their children to their own parents. */
function survivingParent(group: GroupDoc | null, { removed }: Rest<GroupDoc>): string | null {
  let parent = group?.parent_group_id ?? null;
  for (let above = removed.find(({ _id }) => _id === parent); above !== undefined;) {
    parent = above.parent_group_id;
    above = removed.find(({ _id }) => _id === parent);
  }
  return parent;
}

/** Collects unknown parents, cycles and too many levels. */
function checkTree(
  { names, faults }: ImportScope, matched: Matched<GroupItem, GroupDoc>[], rest: Rest<GroupDoc>,
): void {
  const { others } = rest;
  const currents = matched.flatMap(({ current }) => current ?? []);
  const parents = new Map<string, string | null>();
  for (const group of [...others, ...currents]) {
    parents.set(group.name, names.nameOf(survivingParent(group, rest)));
  }
  const listed = new Map<string, number>();
  for (const { item: { name, parent }, at } of matched) {
    if (listed.has(name)) faults.add(['groups', at, 'name'], 'Listed twice');
    listed.set(name, at);
    parents.set(name, parent === undefined ? parents.get(name) ?? null : parent);
  }
  let hasFault = false;
  for (const { item: { name, parent = null }, at } of matched) {
    const isUnknown = parent !== null && !parents.has(parent);
    if (!isUnknown && levelOf(name, parents) <= MAX_LEVELS) continue;
    hasFault = true;
    faults.add(['groups', at, 'parent'], isUnknown
      ? 'Unknown group' : `A group cannot be inside itself or more than ${MAX_LEVELS} levels deep`);
  }
  if (hasFault) return;
  // Groups that are not in the document move along with their ancestors.
  for (const { name } of others) {
    if (levelOf(name, parents) <= MAX_LEVELS) continue;
    let above: string | null = name;
    while (above !== null && !listed.has(above)) above = parents.get(above) ?? null;
    const path = ['groups', listed.get(above ?? '') ?? 0, 'parent'];
    faults.add(path, `Its child groups would be more than ${MAX_LEVELS} levels deep`);
  }
}

function parentsFirst(planned: Planned<GroupItem, GroupDoc, Settings>[]) {
  const parents = new Map(planned.map(({ id, next }) => [id, next.parent_group_id]));
  return [...planned].sort((one, other) => levelOf(one.id, parents) - levelOf(other.id, parents));
}

/** 1 for a top-level group. Greater than MAX_LEVELS also for a group that is its own ancestor. */
function levelOf(group: string, parents: ReadonlyMap<string, string | null>): number {
  let level = 1;
  let above = parents.get(group);
  for (; typeof above === 'string' && level <= MAX_LEVELS; above = parents.get(above)) level += 1;
  return level;
}
