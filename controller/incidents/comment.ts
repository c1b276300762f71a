/** A document of `incident_comments`. Instants are Unix ms. */
export interface CommentDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  incident_id: string;
  /** The author; address and name as they were at the time. */
  user_id: string;
  user_email: string;
  user_name: string;
  /** Empty once deleted. */
  comment_text: string;
  is_internal: boolean;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

const CHANGEABLE_MS = 15 * 60_000;
const DELETED = { edit: 'Cannot update a deleted comment', delete: 'Comment already deleted' };

export interface CommentRefusal {
  message: string;
  /** Somebody else wrote it. */
  isForeign: boolean;
}

/** Why the user may not edit or delete the comment at `now` (Unix ms); null when they may. */
export function commentRefusal(
  comment: CommentDoc, verb: 'edit' | 'delete', userId: string, now: number,
): CommentRefusal | null {
  const { user_id, created_at, deleted_at } = comment;
  if (user_id !== userId) return { message: `You can only ${verb} your own comments`, isForeign: true };
  if (deleted_at !== null) return { message: DELETED[verb], isForeign: false };
  if (now - created_at <= CHANGEABLE_MS) return null;
  return { message: `You cannot ${verb} this comment after 15 minutes`, isForeign: false };
}
