import { z } from 'zod';
import { isoTime } from '../../../shared/time.ts';
import type { CommentDoc } from './comment.ts';
import { changeRefusal } from './rules.ts';

const instant = z.string().meta({ format: 'date-time' });

export const commentView = z
  .strictObject({
    id: z.string().meta({ format: 'uuid' }),
    incident_id: z.string(),
    user_id: z.string().nullable(),
    user_email: z.string().nullable(),
    user_name: z.string().nullable(),
    comment_text: z.string().describe('Empty once deleted'),
    is_internal: z.boolean(),
    created_at: instant,
    updated_at: instant,
    deleted_at: instant.nullable(),
  })
  .meta({ id: 'IncidentComment' });

export const listedCommentView = commentView
  .extend({ can_edit: z.boolean().describe('Whether the caller may do so now'), can_delete: z.boolean().describe('Whether the caller may do so now') })
  .meta({ id: 'ListedIncidentComment' });

/** A comment as the API shows it. */
export function showComment(doc: CommentDoc): z.input<typeof commentView> {
  const { _id, organization_id: _organization, project_id: _project, ...rest } = doc;
  return { id: _id, ...rest, created_at: isoTime(doc.created_at), updated_at: isoTime(doc.updated_at), deleted_at: isoTime(doc.deleted_at) };
}

/** A comment in a list, with what this user may do with it at `now` (Unix ms). */
export function showListedComment(doc: CommentDoc, userId: string, now: number): z.input<typeof listedCommentView> {
  const may = (verb: 'edit' | 'delete') => changeRefusal(doc, verb, userId, now) === null;
  return { can_edit: may('edit'), can_delete: may('delete'), ...showComment(doc) };
}
