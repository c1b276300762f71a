import { MAX_LEVELS, type GroupDoc } from '../groups/group.ts';
import { differencesOf, type Difference } from './difference.ts';
import type { GroupItem } from './schema.ts';

export interface PlannedGroup {
  name: string;
  /** Null if the group is new. */
  current: GroupDoc | null;
  description: string;
  /** Name of its parent; null for a top-level group. */
  parent: string | null;
  /** Empty if the group is new. */
  differences: Difference[];
  /** 1 for a top-level group. Parents must be placed before their children. */
  level: number;
}

/** A problem with an item of the document. */
export interface ItemFault {
  code: 'custom';
  path: (string | number)[];
  message: string;
}

/** Plans the changes of a document to existing groups, in the order of the document. */
export function planGroups(
  items: readonly GroupItem[], existing: readonly GroupDoc[],
): { groups: PlannedGroup[]; issues: ItemFault[] } {
  const issues: ItemFault[] = [];
  const refuse = (at: number, field: string, message: string) =>
    issues.push({ code: 'custom', path: ['groups', at, field], message });
  const byName = new Map(existing.map((group) => [group.name, group]));
  const nameOf = new Map(existing.map((group) => [group._id, group.name]));
  const parentOf = (group: GroupDoc) => nameOf.get(group.parent_group_id ?? '') ?? null;
  const parents = new Map(existing.map((group) => [group.name, parentOf(group)]));
  const positions = new Map<string, number>();
  const groups = items.map((item, at): PlannedGroup => {
    const { name } = item;
    if (positions.has(name)) refuse(at, 'name', 'Listed twice');
    positions.set(name, at);
    const current = byName.get(name) ?? null;
    const before = parents.get(name) ?? null;
    const parent = item.parent === undefined ? before : item.parent;
    const description = (item.description === undefined ? current?.description : item.description) ?? '';
    const differences = current === null ? [] : differencesOf(
      { description: current.description, parent: before }, { description, parent },
    );
    return { name, current, description, parent, differences, level: 1 };
  });
  for (const { name, parent } of groups) parents.set(name, parent);
  for (const [at, group] of groups.entries()) {
    group.level = levelOf(group.name, parents);
    if (group.parent !== null && !parents.has(group.parent)) refuse(at, 'parent', 'Unknown group');
    else if (group.level > MAX_LEVELS) {
      refuse(at, 'parent', `A group cannot be inside itself or more than ${MAX_LEVELS} levels deep`);
    }
  }
  if (issues.length > 0) return { groups, issues };
  // Groups that are not in the document move along with their ancestors.
  for (const { name } of existing) {
    if (levelOf(name, parents) <= MAX_LEVELS) continue;
    const at = nearestOf(name, parents, positions);
    refuse(at, 'parent', `Its child groups would be more than ${MAX_LEVELS} levels deep`);
  }
  return { groups, issues };
}

/** Index in the document of the nearest ancestor of `name` (or itself) that the document contains. */
function nearestOf(
  name: string, parents: ReadonlyMap<string, string | null>, positions: ReadonlyMap<string, number>,
): number {
  let at: string | null = name;
  while (at !== null && !positions.has(at)) at = parents.get(at) ?? null;
  return positions.get(at ?? '') ?? 0;
}

/** 1 for a top-level group. Greater than MAX_LEVELS also for a group that is its own ancestor. */
function levelOf(name: string, parents: ReadonlyMap<string, string | null>): number {
  let level = 1;
  let above = parents.get(name);
  for (; typeof above === 'string' && level <= MAX_LEVELS; above = parents.get(above)) level += 1;
  return level;
}
