import { MOST_LEVELS } from '../groups/group.ts';
import type { NamedGroup } from './ports.ts';
import type { GroupItem } from './schema.ts';

export interface PlannedGroup {
  name: string;
  /** Null: it is to be made. */
  current: NamedGroup | null;
  description: string;
  /** Name of its parent, null at the top. */
  parent: string | null;
  changes: string[];
}

/** What is wrong with an item, by its path in the document. */
export interface ItemFault {
  code: 'custom';
  path: (string | number)[];
  message: string;
}

export interface GroupPlan {
  /** In the order of the document. */
  groups: PlannedGroup[];
  issues: ItemFault[];
}

/** What the groups of a document come to beside those that there are. */
export function planGroups(items: readonly GroupItem[], existing: readonly NamedGroup[]): GroupPlan {
  const issues: ItemFault[] = [];
  const refuse = (at: number, field: string, message: string) => issues.push({ code: 'custom', path: ['groups', at, field], message });
  const byName = new Map(existing.map((group) => [group.name, group]));
  const nameOf = new Map(existing.map((group) => [group._id, group.name]));
  const parents = new Map(existing.map((group) => [group.name, nameOf.get(group.parent_group_id ?? '') ?? null]));
  const seen = new Set<string>();
  const groups = items.map((item, at): PlannedGroup => {
    if (seen.has(item.name)) refuse(at, 'name', 'Given twice');
    seen.add(item.name);
    const current = byName.get(item.name) ?? null;
    const parent = item.parent === undefined ? (parents.get(item.name) ?? null) : item.parent;
    const description = item.description === undefined ? (current?.description ?? '') : (item.description ?? '');
    const changes = [...(current?.description === description ? [] : ['description']), ...((parents.get(item.name) ?? null) === parent ? [] : ['parent'])];
    return { name: item.name, current, description, parent, changes: current === null ? [] : changes };
  });
  for (const { name, parent } of groups) parents.set(name, parent);
  for (const [at, { name, parent }] of groups.entries()) {
    if (parent !== null && !parents.has(parent)) refuse(at, 'parent', 'Unknown group');
    else if (levelOf(name, parents) > MOST_LEVELS) refuse(at, 'parent', `A group cannot stand under itself, nor deeper than ${MOST_LEVELS} levels`);
  }
  if (issues.length > 0) return { groups, issues };
  // What the document does not name goes where what is above it goes.
  const places = new Map(groups.map(({ name }, at) => [name, at]));
  for (const { name } of existing) {
    if (levelOf(name, parents) > MOST_LEVELS) refuse(nearestOf(name, parents, places), 'parent', `The groups below it cannot stand deeper than ${MOST_LEVELS} levels`);
  }
  return { groups, issues };
}

/** The place in the document of the nearest group above that it names. */
function nearestOf(name: string, parents: ReadonlyMap<string, string | null>, places: ReadonlyMap<string, number>): number {
  let at: string | null = name;
  while (at !== null && !places.has(at)) at = parents.get(at) ?? null;
  return places.get(at ?? '') ?? 0;
}

/** In an order in which each can be put into its place: parents come before their children. */
export function parentsFirst(groups: readonly PlannedGroup[], existing: readonly NamedGroup[]): PlannedGroup[] {
  const nameOf = new Map(existing.map((group) => [group._id, group.name]));
  const parents = new Map(existing.map((group) => [group.name, nameOf.get(group.parent_group_id ?? '') ?? null]));
  for (const { name, parent } of groups) parents.set(name, parent);
  return [...groups].sort((one, other) => levelOf(one.name, parents) - levelOf(other.name, parents));
}

/** 1 at the top; above MOST_LEVELS also for a group that stands under itself. */
function levelOf(name: string, parents: ReadonlyMap<string, string | null>): number {
  let level = 1;
  for (let at = parents.get(name) ?? null; at !== null && level <= MOST_LEVELS; at = parents.get(at) ?? null) level += 1;
  return level;
}
