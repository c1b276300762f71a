import type { Managed } from '../access/managed.ts';
import { valueTaken, type AppError } from '../errors/app-error.ts';

/** A document of `groups`. Instants are Unix ms. */
export interface GroupDoc extends Managed {
  _id: string;
  organization_id: string;
  project_id: string;
  created_by: string | null;
  /** Unique in the project, regardless of the parent. */
  name: string;
  /** Empty if there is none. */
  description: string;
  /** Null for a top-level group. */
  parent_group_id: string | null;
  /**
   * The tree revision that last placed this group, so that a late repetition of an earlier step has no
   * effect.
   */
  tree_revision: number;
  /**
   * Set while the group reserves its name but is not in the tree yet. It is invisible, even after a crash.
   */
  pending_since?: number;
  created_at: number;
}

export type GroupEdge = Pick<GroupDoc, '_id' | 'parent_group_id'>;

export type GroupText = Partial<Pick<GroupDoc, 'name' | 'description' | 'managed_by'>>;

export interface PlaceStep extends GroupText {
  kind: 'place';
  group_id: string;
  parent_group_id: string | null;
}

export interface RemoveStep {
  kind: 'remove';
  group_id: string;
  /**
   * The group that receives its children and monitors. Null: children become top-level, monitors have no
   * group.
   */
  to: string | null;
}

export type TreeStep = PlaceStep | RemoveStep;

export const MAX_LEVELS = 10;

/** Per project on any plan, because the hierarchy and the health summary return all groups at once. */
export const MAX_GROUPS = 1000;

export function duplicateName(): AppError {
  return valueTaken('DUPLICATE_NAME', 'name', 'A group with this name already exists in the project');
}
