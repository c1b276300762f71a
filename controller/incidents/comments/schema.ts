import { z } from 'zod';
import { readOnlyFields, uuidParam } from '../../http/params.ts';

export const commentParams = z.strictObject({ id: uuidParam, commentId: uuidParam });

const readOnly = readOnlyFields(
  'id', 'incident_id', 'user_id', 'user_email', 'user_name', 'created_at', 'updated_at', 'deleted_at', 'can_edit', 'can_delete',
);

export const commentInput = z.strictObject({
  ...readOnly,
  comment_text: z.string().min(1).max(5000),
  is_internal: z.boolean().default(false),
});
export type CommentInput = z.output<typeof commentInput>;

export const commentChangeInput = z.strictObject({ ...readOnly, comment_text: z.string().min(1).max(5000), is_internal: z.boolean().optional() });
export type CommentChangeInput = z.output<typeof commentChangeInput>;
