import type { z } from 'zod';
import { newId } from '../../../shared/ids.ts';
import { ownedBy } from '../../access/tenant.ts';
import { AppError, notFound } from '../../errors/app-error.ts';
import type { ProjectContext, SessionActor } from '../../http/routing/route.ts';
import type { CommentChange } from '../comment-store.ts';
import { commentRefusal, type CommentDoc } from '../comment.ts';
import type { IncidentDeps } from '../deps.ts';
import type { CommentChangeInput, CommentInput, commentParams } from '../schema.ts';
import { findIncident } from './read-incidents.ts';

type Deps = Pick<IncidentDeps, 'incidents' | 'comments'>;
/** The path parameters that identify a comment. */
type CommentRef = z.output<typeof commentParams>;

/** Per incident. Low enough to list without pages. */
const MAX_COMMENTS = 1000;

/** Oldest first; deleted comments have no text. Throws RESOURCE_NOT_FOUND. */
export async function listComments(deps: Deps, ctx: ProjectContext, incidentId: string) {
  await findIncident(deps, ctx, incidentId);
  return deps.comments.list(ctx.tenant, incidentId, MAX_COMMENTS);
}

/** Throws RESOURCE_NOT_FOUND, FAIR_USE_LIMIT_REACHED if the incident has 1,000 comments. */
export async function addComment(deps: Deps, ctx: ProjectContext, id: string, input: CommentInput) {
  const { userId, email, name } = sessionOf(ctx);
  await findIncident(deps, ctx, id);
  if ((await deps.comments.count(ctx.tenant, id)) >= MAX_COMMENTS) {
    const message = `An incident can have at most ${MAX_COMMENTS} comments`;
    throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_COMMENTS } });
  }
  const { comment_text, is_internal } = input;
  const comment: CommentDoc = {
    _id: newId(ctx.now), ...ownedBy(ctx.tenant), incident_id: id,
    user_id: userId, user_email: email, user_name: name, comment_text, is_internal,
    created_at: ctx.now, updated_at: ctx.now, deleted_at: null,
  };
  await deps.comments.insert(comment);
  return comment;
}

/** Throws RESOURCE_NOT_FOUND, FORBIDDEN unless it is the caller's, VALIDATION_ERROR if deleted or too old. */
export async function editComment(deps: Deps, ctx: ProjectContext, ref: CommentRef, to: CommentChangeInput) {
  const { comment_text, is_internal } = to;
  const change = { comment_text, updated_at: ctx.now, ...(is_internal === undefined ? {} : { is_internal }) };
  return changeComment(deps, ctx, ref, 'edit', change);
}

/** Clears the text and marks the comment as deleted. Throws the errors of `editComment`. */
export async function deleteComment(deps: Deps, ctx: ProjectContext, ref: CommentRef) {
  const change = { comment_text: '', deleted_at: ctx.now, updated_at: ctx.now };
  await changeComment(deps, ctx, ref, 'delete', change);
}

async function changeComment(
  deps: Deps, ctx: ProjectContext, ref: CommentRef, verb: 'edit' | 'delete', change: CommentChange,
): Promise<CommentDoc> {
  await findIncident(deps, ctx, ref.id);
  const comment = await deps.comments.find(ctx.tenant, ref.id, ref.commentId);
  if (!comment) throw notFound('Comment');
  const refusal = commentRefusal(comment, verb, sessionOf(ctx).userId, ctx.now);
  if (refusal) throw new AppError(refusal.code, refusal.message);
  // Null means that it was deleted meanwhile; the second call throws the error for that.
  return (await deps.comments.change(comment, change)) ?? changeComment(deps, ctx, ref, verb, change);
}

/** Comment routes accept only sessions, so this should never throw. */
export function sessionOf({ actor }: ProjectContext): SessionActor {
  if (actor.kind === 'session') return actor;
  throw new AppError('JWT_REQUIRED', 'This endpoint requires a session token; API keys are not accepted');
}
