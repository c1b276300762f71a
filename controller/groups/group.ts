import { AppError } from '../../shared/errors.ts';

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
  /** Revision of the project's tree that last gave it a parent; a late repetition of an earlier change finds a higher one. */
  tree_revision: number;
  /** Set while it holds its name and has no place in the tree yet: nobody sees it, and after a crash it stays behind so. */
  pending_since?: number;
  created_at: number;
}

/** What the rules about the tree need of a group. */
export type GroupEdge = Pick<GroupDoc, '_id' | 'parent_group_id'>;

/** Levels that groups may be nested in. */
export const MOST_LEVELS = 10;

/** A ceiling for every plan: the hierarchy and the health summary tell all of a project's groups in one answer. */
export const MOST_GROUPS = 1000;

/** The error of a name that another group of the project has. */
export function duplicateName(): AppError {
  return new AppError('DUPLICATE_NAME', 'A group with this name already exists in the project');
}
