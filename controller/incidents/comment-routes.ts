import { z } from 'zod';
import { idParams } from '../http/input/validation.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { commentView, listedCommentView } from './responses.ts';
import type { IncidentDeps } from './deps.ts';
import { commentChangeInput, commentInput, commentParams } from './schema.ts';
import { addComment, deleteComment, editComment, listComments, sessionOf } from './verbs/comments.ts';
import { viewComment, viewListedComment } from './views.ts';

const auth = { access: 'project', role: 'viewer', keys: false } as const;
const path = '/api/incidents/:id/comments';
const common = { tag: 'Incident comments', auth, path, params: idParams } as const;
const ofOne = {
  ...common, path: `${path}/:commentId`, params: commentParams,
  errors: ['RESOURCE_NOT_FOUND', 'FORBIDDEN'], description: 'Only its author can do this, within 15 minutes.',
} as const;
const comment = z.strictObject({ comment: commentView });

export function commentRoutes(deps: IncidentDeps): Route[] {
  return [
    defineRoute({
      ...common, method: 'GET', summary: 'List the comments on an incident, oldest first',
      description: 'All comments, at most 1000. A deleted comment stays in the list with `deleted_at` '
        + 'and without its text.',
      errors: ['RESOURCE_NOT_FOUND'],
      responses: { 200: z.strictObject({ comments: z.array(listedCommentView) }) },
      handle: async (ctx, { params }) => {
        const comments = await listComments(deps, ctx, params.id);
        const { userId } = sessionOf(ctx);
        const shown = comments.map((one) => viewListedComment(one, userId, ctx.now));
        return { status: 200, data: { comments: shown } };
      },
    }),
    defineRoute({
      ...common, method: 'POST', audit: 'comment.created', summary: 'Comment on an incident',
      body: commentInput,
      errors: ['RESOURCE_NOT_FOUND', 'FAIR_USE_LIMIT_REACHED'],
      responses: { 201: comment },
      handle: async (ctx, { params, body }) => {
        return { status: 201, data: { comment: viewComment(await addComment(deps, ctx, params.id, body)) } };
      },
    }),
    ...(['PATCH', 'PUT'] as const).map((method) => defineRoute({
      ...ofOne, method, audit: 'comment.updated', summary: 'Edit a comment',
      body: commentChangeInput,
      responses: { 200: comment },
      handle: async (ctx, { params, body }) => {
        return { status: 200, data: { comment: viewComment(await editComment(deps, ctx, params, body)) } };
      },
    })),
    defineRoute({
      ...ofOne, method: 'DELETE', audit: 'comment.deleted', summary: 'Delete a comment',
      responses: { 200: z.strictObject({ success: z.literal(true) }) },
      handle: async (ctx, { params }) => {
        await deleteComment(deps, ctx, params);
        return { status: 200, data: { success: true as const } };
      },
    }),
  ];
}
