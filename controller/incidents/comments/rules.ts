import type { CommentDoc } from './comment.ts';

/** For so long after writing it the author may change a comment, ms. */
export const CHANGEABLE_MS = 15 * 60_000;

export type CommentVerb = 'edit' | 'delete';

/** Why somebody may not change a comment. `isForeign`: it is not theirs. */
export interface CommentRefusal {
  message: string;
  isForeign: boolean;
}

const DELETED: Record<CommentVerb, string> = { edit: 'Cannot update a deleted comment', delete: 'Comment already deleted' };

/** Why the user may not edit or delete the comment at `now` (Unix ms); null when they may. */
export function changeRefusal(comment: CommentDoc, verb: CommentVerb, userId: string, now: number): CommentRefusal | null {
  if (comment.user_id !== userId) return { message: `You can only ${verb} your own comments`, isForeign: true };
  if (comment.deleted_at !== null) return { message: DELETED[verb], isForeign: false };
  if (now - comment.created_at > CHANGEABLE_MS) return { message: `You cannot ${verb} this comment after 15 minutes`, isForeign: false };
  return null;
}
