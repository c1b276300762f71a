import { valueTaken, type AppError } from '../../shared/errors.ts';

/** A document of `groups`. Instants are Unix ms. */
export interface GroupDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  created_by: string | null;
  /** Unique in the project, whatever the parent. */
  name: string;
  /** Empty when there is none. */
  description: string;
  /** Null at the top. */
  parent_group_id: string | null;
  /** The tree's revision that last placed this group; repeating an earlier change late finds a higher one. */
  tree_revision: number;
  /** Set while the group holds its name but has no place yet: it is invisible, and stays so after a crash. */
  pending_since?: number;
  created_at: number;
}

export type GroupEdge = Pick<GroupDoc, '_id' | 'parent_group_id'>;

export type GroupText = Partial<Pick<GroupDoc, 'name' | 'description'>>;

export interface PlaceStep extends GroupText {
  kind: 'place';
  group_id: string;
  parent_group_id: string | null;
}

export interface RemoveStep {
  kind: 'remove';
  group_id: string;
  /** The group that gets its children and monitors; null is the top, and no group. */
  to: string | null;
}

export type TreeStep = PlaceStep | RemoveStep;

export const MAX_LEVELS = 10;

/** On every plan, because the hierarchy and the health summary return all groups of a project at once. */
export const MAX_GROUPS = 1000;

export function duplicateName(): AppError {
  return valueTaken('DUPLICATE_NAME', 'name', 'A group with this name already exists in the project');
}
