import { MOST_LEVELS, type GroupDoc, type GroupEdge } from './group.ts';

export type Placement = 'fits' | 'no_parent' | 'circular' | 'too_deep';

/**
 * Whether a group, with all that is below it, may stand under `parentId` (null: at the top). A group that is not among
 * the edges yet is a new one. Groups at the top are on level 1; none may get below level 10.
 */
export function placementOf(edges: readonly GroupEdge[], groupId: string, parentId: string | null): Placement {
  if (parentId === null) return 'fits';
  if (parentId === groupId) return 'circular';
  const parents = new Map(edges.map((edge) => [edge._id, edge.parent_group_id]));
  if (!parents.has(parentId)) return 'no_parent';
  const above = ancestors(parents, parentId);
  if (above.includes(groupId)) return 'circular';
  return above.length + heightOf(edges, groupId) > MOST_LEVELS ? 'too_deep' : 'fits';
}

/** From the top down to the group itself. */
export function pathOf<G extends Pick<GroupDoc, '_id' | 'parent_group_id'>>(groups: readonly G[], id: string): G[] {
  const byId = new Map(groups.map((group) => [group._id, group]));
  const parents = new Map(groups.map((group) => [group._id, group.parent_group_id]));
  return ancestors(parents, id).reverse().flatMap((each) => byId.get(each) ?? []);
}

/** The group and what is above it, upwards. Ends also in a circle, which must not be there. */
function ancestors(parents: ReadonlyMap<string, string | null>, id: string): string[] {
  const found: string[] = [];
  for (let at: string | null | undefined = id; typeof at === 'string' && parents.has(at) && !found.includes(at); at = parents.get(at)) found.push(at);
  return found;
}

/** Levels from the group down to its deepest descendant, itself included. */
function heightOf(edges: readonly GroupEdge[], id: string): number {
  const children = childrenByParent(edges);
  let height = 0;
  for (let level = [id]; level.length > 0 && height <= MOST_LEVELS; height += 1) {
    level = level.flatMap((each) => children.get(each) ?? []).map((edge) => edge._id);
  }
  return height;
}

/** The groups by what they stand under, in the order given; null is the top. */
export function childrenByParent<G extends GroupEdge>(groups: readonly G[]): Map<string | null, G[]> {
  const children = new Map<string | null, G[]>();
  for (const group of groups) {
    const siblings = children.get(group.parent_group_id);
    if (siblings) siblings.push(group);
    else children.set(group.parent_group_id, [group]);
  }
  return children;
}
