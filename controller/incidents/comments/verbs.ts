import { AppError, notFound } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import type { ProjectContext, SessionActor } from '../../http/route.ts';
import type { CommentDoc } from './comment.ts';
import { changeRefusal, type CommentVerb } from './rules.ts';
import type { CommentChangeInput, CommentInput } from './schema.ts';
import type { CommentRepository, IncidentReader } from '../ports.ts';

export interface CommentDeps {
  incidents: Pick<IncidentReader, 'find'>;
  comments: CommentRepository;
}

/** Comments of one incident; its list is never cut short. */
export const MOST_COMMENTS = 1000;

/** All comments, oldest first, deleted ones without their text. Throws RESOURCE_NOT_FOUND. */
export async function listComments(deps: CommentDeps, ctx: ProjectContext, incidentId: string): Promise<CommentDoc[]> {
  await requireIncident(deps, ctx, incidentId);
  return deps.comments.list(ctx.tenant, incidentId, MOST_COMMENTS);
}

/** Throws RESOURCE_NOT_FOUND, FAIR_USE_LIMIT_REACHED beyond 1000 comments. */
export async function addComment(deps: CommentDeps, ctx: ProjectContext, incidentId: string, input: CommentInput): Promise<CommentDoc> {
  const author = sessionOf(ctx);
  await requireIncident(deps, ctx, incidentId);
  if ((await deps.comments.count(ctx.tenant, incidentId)) >= MOST_COMMENTS) {
    throw new AppError('FAIR_USE_LIMIT_REACHED', `An incident can have at most ${MOST_COMMENTS} comments`, { details: { limit: MOST_COMMENTS } });
  }
  const comment: CommentDoc = {
    _id: newId(ctx.now), organization_id: ctx.tenant.organizationId, project_id: ctx.tenant.projectId, incident_id: incidentId,
    user_id: author.userId, user_email: author.email, user_name: author.name, comment_text: input.comment_text, is_internal: input.is_internal,
    created_at: ctx.now, updated_at: ctx.now, deleted_at: null,
  };
  await deps.comments.insert(comment);
  return comment;
}

/** Throws RESOURCE_NOT_FOUND, FORBIDDEN for somebody else's comment, VALIDATION_ERROR for a deleted one or after 15 minutes. */
export async function editComment(deps: CommentDeps, ctx: ProjectContext, incidentId: string, id: string, input: CommentChangeInput): Promise<CommentDoc> {
  const { comment_text, is_internal } = input;
  return change(deps, ctx, { incidentId, id, verb: 'edit' }, {
    comment_text, ...(is_internal === undefined ? {} : { is_internal }), updated_at: ctx.now,
  });
}

/** Takes its text away and marks it deleted. Throws like `editComment`. */
export async function deleteComment(deps: CommentDeps, ctx: ProjectContext, incidentId: string, id: string): Promise<void> {
  await change(deps, ctx, { incidentId, id, verb: 'delete' }, { comment_text: '', deleted_at: ctx.now, updated_at: ctx.now });
}

async function change(
  deps: CommentDeps, ctx: ProjectContext, what: { incidentId: string; id: string; verb: CommentVerb }, fields: Parameters<CommentRepository['change']>[1],
): Promise<CommentDoc> {
  await requireIncident(deps, ctx, what.incidentId);
  const seen = await find(deps, ctx, what);
  refuse(seen, what.verb, ctx);
  const changed = await deps.comments.change(seen, fields);
  if (changed) return changed;
  // Deleted since it was read: say what is so now.
  refuse(await find(deps, ctx, what), what.verb, ctx);
  throw notFound('Comment');
}

function refuse(comment: CommentDoc, verb: CommentVerb, ctx: ProjectContext): void {
  const refusal = changeRefusal(comment, verb, sessionOf(ctx).userId, ctx.now);
  if (refusal !== null) throw new AppError(refusal.isForeign ? 'FORBIDDEN' : 'VALIDATION_ERROR', refusal.message);
}

async function find(deps: CommentDeps, ctx: ProjectContext, { incidentId, id }: { incidentId: string; id: string }): Promise<CommentDoc> {
  const comment = await deps.comments.find(ctx.tenant, incidentId, id);
  if (!comment) throw notFound('Comment');
  return comment;
}

async function requireIncident(deps: CommentDeps, ctx: ProjectContext, id: string): Promise<void> {
  if (!(await deps.incidents.find(ctx.tenant, id))) throw notFound('Incident');
}

/** The routes let sessions in only. */
export function sessionOf({ actor }: ProjectContext): SessionActor {
  if (actor.kind !== 'session') throw new AppError('JWT_REQUIRED', 'This endpoint needs a session token; API keys are not accepted');
  return actor;
}
