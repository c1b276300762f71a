import { grouped } from '../../shared/grouped.ts';
import { MAX_LEVELS, type GroupEdge } from './group.ts';

/**
 * Whether a group and its descendants may be placed under `parentId`, or at the top level if null. A group
 * without an edge is new. The top level is 1, the lowest allowed level MAX_LEVELS.
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

/** The groups from the top level down to `id`; empty if it does not exist. Terminates even on cycles. */
export function pathOf<G extends GroupEdge>(groups: readonly G[], id: string): G[] {
  const byId = new Map(groups.map((group) => [group._id, group]));
  const path = new Set<G>();
  for (let at = byId.get(id); at && !path.has(at); at = byId.get(at.parent_group_id ?? '')) path.add(at);
  return [...path].reverse();
}

/** Number of levels from the group down to its deepest descendant, inclusive. */
function heightOf(edges: readonly GroupEdge[], id: string): number {
  const children = childrenByParent(edges);
  let height = 0;
  for (let level = [id]; level.length > 0 && height <= MAX_LEVELS; height += 1) {
    level = level.flatMap((each) => children.get(each) ?? []).map((edge) => edge._id);
  }
  return height;
}

/** Groups by parent id (null: top level), in the given order. */
export function childrenByParent<G extends GroupEdge>(groups: readonly G[]): Map<string | null, G[]> {
  return grouped(groups, (group) => group.parent_group_id);
}
