import { AppError, notFound } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import type { ProjectContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import type { GroupDeps } from '../deps.ts';
import { duplicateName, MOST_GROUPS, MOST_LEVELS, type GroupDoc, type GroupEdge } from '../group.ts';
import type { PlaceStep } from '../ports.ts';
import type { GroupChangeInput, GroupInput } from '../schema.ts';
import { placementOf } from '../tree-rules.ts';
import { changeTree, finishRemovals, settleTree, type TreeDeps } from './change-tree.ts';

/** The group. Throws RESOURCE_NOT_FOUND, the same for one of another tenant. */
export async function loadGroup(deps: Pick<GroupDeps, 'groups'>, ctx: ProjectContext, id: string): Promise<GroupDoc> {
  const group = await deps.groups.find(ctx.tenant, id);
  if (group === null) throw notFound('Group');
  return group;
}

/** Throws DUPLICATE_NAME, MAX_DEPTH_EXCEEDED, VALIDATION_ERROR for an unknown parent, FAIR_USE_LIMIT_REACHED beyond 1000 in the project. */
export async function createGroup(deps: TreeDeps, ctx: ProjectContext, input: GroupInput): Promise<GroupDoc> {
  if ((await deps.groups.count(ctx.tenant)) >= MOST_GROUPS) {
    throw new AppError('FAIR_USE_LIMIT_REACHED', `A project can have at most ${MOST_GROUPS} groups`, { details: { limit: MOST_GROUPS } });
  }
  const group: GroupDoc = {
    _id: newId(ctx.now),
    organization_id: ctx.tenant.organizationId,
    project_id: ctx.tenant.projectId,
    created_by: ctx.actor.kind === 'session' ? ctx.actor.userId : ctx.actor.createdBy,
    name: input.name,
    description: input.description ?? '',
    parent_group_id: null,
    tree_revision: 0,
    created_at: ctx.now,
  };
  await settleTree(deps, ctx);
  const parent = input.parent_group_id ?? null;
  if (parent === null) {
    await deps.groups.insert(group);
    return group;
  }
  // Nobody sees it before it has its place; its name is taken from now on.
  await deps.groups.insert({ ...group, pending_since: ctx.now });
  try {
    await changeTree(deps, ctx, (edges) => placed(edges, { kind: 'place', group_id: group._id, parent_group_id: parent }));
  } catch (error) {
    if (error instanceof AppError) await deps.groups.discard(ctx.tenant, group._id);
    throw error;
  }
  return { ...group, parent_group_id: parent };
}

/**
 * Changes the fields that are given, all of them or none. Throws RESOURCE_NOT_FOUND, DUPLICATE_NAME, CIRCULAR_REFERENCE,
 * MAX_DEPTH_EXCEEDED, VALIDATION_ERROR for an unknown parent, CONFLICT.
 */
export async function changeGroup(deps: TreeDeps, ctx: ProjectContext, id: string, input: GroupChangeInput): Promise<GroupDoc> {
  const { name = undefined, description: given, parent_group_id: parent } = input;
  const description = given === null ? '' : given;
  await settleTree(deps, ctx);
  const seen = await loadGroup(deps, ctx, id);
  if (parent === undefined || parent === seen.parent_group_id) {
    if (name === undefined && description === undefined) return seen;
    const renamed = await deps.groups.rename(ctx.tenant, id, { name, description });
    if (renamed === null) throw notFound('Group');
    return renamed;
  }
  const isMoved = await changeTree(deps, ctx, (edges) => {
    if (!edges.some((edge) => edge._id === id)) throw notFound('Group');
    return placed(edges, { kind: 'place', group_id: id, parent_group_id: parent, name, description });
  });
  if (!isMoved) throw duplicateName();
  return loadGroup(deps, ctx, id);
}

/** Its children and monitors move to its parent. Throws RESOURCE_NOT_FOUND, CONFLICT. */
export async function deleteGroup(deps: TreeDeps, ctx: ProjectContext, id: string): Promise<void> {
  try {
    await changeTree(deps, ctx, (edges) => {
      const edge = edges.find((each) => each._id === id);
      if (edge === undefined) throw notFound('Group');
      return { kind: 'remove', group_id: id, to: edge.parent_group_id };
    });
  } finally {
    // Also when it is gone: then this may be the repetition of a deletion that was cut short.
    await finishRemovals(deps, ctx);
  }
}

function placed(edges: GroupEdge[], step: PlaceStep): PlaceStep {
  switch (placementOf(edges, step.group_id, step.parent_group_id)) {
    case 'no_parent': throw fieldError('parent_group_id', 'Unknown group');
    case 'circular': throw new AppError('CIRCULAR_REFERENCE', 'A group cannot stand under itself or under one of its own children');
    case 'too_deep': throw new AppError('MAX_DEPTH_EXCEEDED', `Groups can be nested at most ${MOST_LEVELS} levels deep`);
    case 'fits': return step;
  }
}
