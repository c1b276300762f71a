import { AppError, notFound } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { ownedBy } from '../../accounts/tenant.ts';
import type { ProjectContext, SessionActor } from '../../http/route.ts';
import type { CommentChange } from '../comment-store.ts';
import { commentRefusal, type CommentDoc } from '../comment.ts';
import type { IncidentDeps } from '../deps.ts';
import type { CommentChangeInput, CommentInput } from '../schema.ts';
import { findIncident } from './read-incidents.ts';

type CommentDeps = Pick<IncidentDeps, 'incidents' | 'comments'>;

/** Per incident; low enough for its list to need no pages. */
const MOST_COMMENTS = 1000;

/** All comments, oldest first, deleted ones without their text. Throws RESOURCE_NOT_FOUND. */
export async function listComments(deps: CommentDeps, ctx: ProjectContext, incidentId: string) {
  await findIncident(deps, ctx, incidentId);
  return deps.comments.list(ctx.tenant, incidentId, MOST_COMMENTS);
}

/** Throws RESOURCE_NOT_FOUND, FAIR_USE_LIMIT_REACHED beyond 1000 comments. */
export async function addComment(
  deps: CommentDeps, ctx: ProjectContext, incidentId: string, input: CommentInput,
): Promise<CommentDoc> {
  const { userId, email, name } = sessionOf(ctx);
  await findIncident(deps, ctx, incidentId);
  if ((await deps.comments.count(ctx.tenant, incidentId)) >= MOST_COMMENTS) {
    const message = `An incident can have at most ${MOST_COMMENTS} comments`;
    throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MOST_COMMENTS } });
  }
  const { comment_text, is_internal } = input;
  const comment: CommentDoc = {
    _id: newId(ctx.now), ...ownedBy(ctx.tenant), incident_id: incidentId,
    user_id: userId, user_email: email, user_name: name, comment_text, is_internal,
    created_at: ctx.now, updated_at: ctx.now, deleted_at: null,
  };
  await deps.comments.insert(comment);
  return comment;
}

/**
 * Throws RESOURCE_NOT_FOUND, FORBIDDEN unless it is the caller's, VALIDATION_ERROR once deleted or after 15
 * minutes.
 */
export async function editComment(
  deps: CommentDeps, ctx: ProjectContext, incidentId: string, id: string, input: CommentChangeInput,
): Promise<CommentDoc> {
  const { comment_text, is_internal } = input;
  const change = { comment_text, updated_at: ctx.now, ...(is_internal === undefined ? {} : { is_internal }) };
  return changeComment(deps, ctx, { incidentId, id, verb: 'edit' }, change);
}

/** Clears its text and marks it deleted. Throws as `editComment` does. */
export async function deleteComment(deps: CommentDeps, ctx: ProjectContext, incidentId: string, id: string) {
  const change = { comment_text: '', deleted_at: ctx.now, updated_at: ctx.now };
  await changeComment(deps, ctx, { incidentId, id, verb: 'delete' }, change);
}

interface Wanted {
  incidentId: string;
  id: string;
  verb: 'edit' | 'delete';
}

async function changeComment(deps: CommentDeps, ctx: ProjectContext, wanted: Wanted, change: CommentChange) {
  await findIncident(deps, ctx, wanted.incidentId);
  const changed = await deps.comments.change(await findChangeable(deps, ctx, wanted), change);
  // It was deleted since it was read: answer with what is wrong now.
  if (!changed) await findChangeable(deps, ctx, wanted);
  if (!changed) throw notFound('Comment');
  return changed;
}

async function findChangeable(deps: CommentDeps, ctx: ProjectContext, { incidentId, id, verb }: Wanted) {
  const comment = await deps.comments.find(ctx.tenant, incidentId, id);
  if (!comment) throw notFound('Comment');
  const refusal = commentRefusal(comment, verb, sessionOf(ctx).userId, ctx.now);
  if (refusal) throw new AppError(refusal.isForeign ? 'FORBIDDEN' : 'VALIDATION_ERROR', refusal.message);
  return comment;
}

/** The routes of comments let in nobody but sessions. */
export function sessionOf({ actor }: ProjectContext): SessionActor {
  if (actor.kind === 'session') return actor;
  throw new AppError('JWT_REQUIRED', 'This endpoint needs a session token; API keys are not accepted');
}
