import { MAX_LEVELS, type GroupEdge } from './group.ts';

/**
 * Whether a group, with everything below it, may be placed under `parentId` (null: at the top). A group that
 * is not among the edges is new. Groups at the top are on level 1; none may get below MOST_LEVELS.
 */
export function placementOf(
  edges: readonly GroupEdge[], groupId: string, parentId: string | null,
): 'fits' | 'no_parent' | 'circular' | 'too_deep' {
  if (parentId === null) return 'fits';
  if (parentId === groupId) return 'circular';
  const path = pathOf(edges, parentId);
  if (path.length === 0) return 'no_parent';
  if (path.some((edge) => edge._id === groupId)) return 'circular';
  return path.length + heightOf(edges, groupId) > MAX_LEVELS ? 'too_deep' : 'fits';
}

/** The groups from the top down to `id`; empty if there is none. Ends even if the tree has a cycle. */
export function pathOf<G extends GroupEdge>(groups: readonly G[], id: string): G[] {
  const byId = new Map(groups.map((group) => [group._id, group]));
  const path = new Set<G>();
  for (let at = byId.get(id); at && !path.has(at); at = byId.get(at.parent_group_id ?? '')) path.add(at);
  return [...path].reverse();
}

/** Levels from the group down to its deepest descendant, including its own. */
function heightOf(edges: readonly GroupEdge[], id: string): number {
  const children = childrenByParent(edges);
  let height = 0;
  for (let level = [id]; level.length > 0 && height <= MAX_LEVELS; height += 1) {
    level = level.flatMap((each) => children.get(each) ?? []).map((edge) => edge._id);
  }
  return height;
}

/** Groups by their parent's id, null for the top, in the order given. */
export function childrenByParent<G extends GroupEdge>(groups: readonly G[]): Map<string | null, G[]> {
  const children = new Map<string | null, G[]>();
  for (const group of groups) {
    const siblings = children.get(group.parent_group_id);
    if (siblings) siblings.push(group);
    else children.set(group.parent_group_id, [group]);
  }
  return children;
}
