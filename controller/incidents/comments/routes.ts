import { z } from 'zod';
import { idParams } from '../../http/params.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { commentChangeInput, commentInput, commentParams } from './schema.ts';
import { addComment, deleteComment, editComment, listComments, sessionOf, type CommentDeps } from './verbs.ts';
import { commentView, listedCommentView, showComment, showListedComment } from './views.ts';

const common = { tag: 'Incident comments', auth: { access: 'project', role: 'viewer', keys: false } } as const;

/** What people say about an incident. */
export function commentRoutes(deps: CommentDeps): Route[] {
  return [
    defineRoute({
      ...common, method: 'GET', path: '/api/incidents/:id/comments', summary: 'List the comments on an incident, oldest first',
      description: 'All comments, at most 1000. A deleted comment remains in the list with `deleted_at` '
        + 'and without its text.',
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND'],
      answers: { 200: z.strictObject({ comments: z.array(listedCommentView) }) },
      handle: async (ctx, { params }) => {
        const comments = await listComments(deps, ctx, params.id);
        const { userId } = sessionOf(ctx);
        return { status: 200, data: { comments: comments.map((comment) => showListedComment(comment, userId, ctx.now)) } };
      },
    }),
    defineRoute({
      ...common, method: 'POST', path: '/api/incidents/:id/comments', summary: 'Comment on an incident', audit: 'comment.created',
      params: idParams,
      body: commentInput,
      errors: ['RESOURCE_NOT_FOUND', 'FAIR_USE_LIMIT_REACHED'],
      answers: { 201: z.strictObject({ comment: commentView }) },
      handle: async (ctx, { params, body }) => ({ status: 201, data: { comment: showComment(await addComment(deps, ctx, params.id, body)) } }),
    }),
    editRoute(deps, 'PATCH'),
    editRoute(deps, 'PUT'),
    defineRoute({
      ...common, method: 'DELETE', path: '/api/incidents/:id/comments/:commentId', summary: 'Delete a comment', audit: 'comment.deleted',
      description: 'Only its author may do this, within 15 minutes.',
      params: commentParams,
      errors: ['RESOURCE_NOT_FOUND', 'FORBIDDEN'],
      answers: { 200: z.strictObject({ success: z.literal(true) }) },
      handle: async (ctx, { params }) => {
        await deleteComment(deps, ctx, params.id, params.commentId);
        return { status: 200, data: { success: true as const } };
      },
    }),
  ];
}

function editRoute(deps: CommentDeps, method: 'PATCH' | 'PUT'): Route {
  return defineRoute({
    ...common, method, path: '/api/incidents/:id/comments/:commentId', summary: 'Edit a comment', audit: 'comment.updated',
    description: 'Only its author may do this, within 15 minutes.',
    params: commentParams,
    body: commentChangeInput,
    errors: ['RESOURCE_NOT_FOUND', 'FORBIDDEN'],
    answers: { 200: z.strictObject({ comment: commentView }) },
    handle: async (ctx, { params, body }) => ({
      status: 200, data: { comment: showComment(await editComment(deps, ctx, params.id, params.commentId, body)) },
    }),
  });
}
