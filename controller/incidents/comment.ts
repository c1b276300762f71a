import type { ErrorCode } from '../errors/app-error.ts';

/** A document of `incident_comments`. Instants are Unix ms. */
export interface CommentDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  incident_id: string;
  /** The author. Email and name are those at the time of the comment. */
  user_id: string;
  user_email: string;
  user_name: string;
  /** Empty if deleted. */
  comment_text: string;
  is_internal: boolean;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

const EDIT_WINDOW_MS = 15 * 60_000;
const DELETED = { edit: 'Cannot update a deleted comment', delete: 'Comment already deleted' };

/** Why the user may not edit or delete the comment; null if they may. `now` is Unix ms. */
export function commentRefusal(
  { user_id, created_at, deleted_at }: CommentDoc, verb: 'edit' | 'delete', userId: string, now: number,
): { code: ErrorCode; message: string } | null {
  if (user_id !== userId) return { code: 'FORBIDDEN', message: `You can only ${verb} your own comments` };
  if (deleted_at !== null) return { code: 'VALIDATION_ERROR', message: DELETED[verb] };
  if (now - created_at <= EDIT_WINDOW_MS) return null;
  return { code: 'VALIDATION_ERROR', message: `You cannot ${verb} this comment after 15 minutes` };
}
