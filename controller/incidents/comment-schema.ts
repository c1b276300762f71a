import { z } from 'zod';
import { uuidParam, readOnlyField } from '../http/params.ts';

export const commentParams = z.strictObject({ id: uuidParam, commentId: uuidParam });

const ignored = readOnlyField;

/** What a read returns and nobody can set; sent back, it is ignored. */
const readOnly = {
  id: ignored, incident_id: ignored, user_id: ignored, user_email: ignored, user_name: ignored, created_at: ignored, updated_at: ignored,
  deleted_at: ignored, can_edit: ignored, can_delete: ignored,
};

export const commentInput = z.strictObject({
  ...readOnly,
  comment_text: z.string().min(1).max(5000),
  is_internal: z.boolean().default(false),
});
export type CommentInput = z.output<typeof commentInput>;

export const commentChangeInput = z.strictObject({ ...readOnly, comment_text: z.string().min(1).max(5000), is_internal: z.boolean().optional() });
export type CommentChangeInput = z.output<typeof commentChangeInput>;
