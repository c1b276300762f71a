import { newId } from '../../../shared/ids.ts';
import { ownedBy } from '../../access/tenant.ts';
import { AppError, notFound } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { authorOf } from '../../http/routing/authorize.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { TreeDeps } from '../deps.ts';
import {
  duplicateName, MAX_GROUPS, MAX_LEVELS, type GroupDoc, type GroupEdge, type PlaceStep,
} from '../group.ts';
import type { GroupChangeInput, GroupInput } from '../schema.ts';
import { placementOf } from '../tree-rules.ts';
import { changeTree, finishRemovals, settleTree } from './change-tree.ts';

/** Throws RESOURCE_NOT_FOUND, including for groups of other tenants. */
export async function loadGroup(deps: TreeDeps, ctx: ProjectContext, id: string): Promise<GroupDoc> {
  const group = await deps.groups.find(ctx.tenant, id);
  if (group === null) throw notFound('Group');
  return group;
}

/**
 * Throws DUPLICATE_NAME, MAX_DEPTH_EXCEEDED, VALIDATION_ERROR for an unknown parent, FAIR_USE_LIMIT_REACHED
 * if the project has MAX_GROUPS, CONFLICT. An import sets fields in `own`.
 */
export async function createGroup(
  deps: TreeDeps, ctx: ProjectContext, input: GroupInput, own: Partial<Pick<GroupDoc, '_id' | 'managed_by'>> = {},
): Promise<GroupDoc> {
  if ((await deps.groups.countOf(ctx.tenant)) >= MAX_GROUPS) throw tooManyGroups();
  const group: GroupDoc = {
    _id: newId(ctx.now), ...ownedBy(ctx.tenant), created_by: authorOf(ctx.actor),
    name: input.name, description: input.description ?? '', parent_group_id: null, tree_revision: 0,
    created_at: ctx.now, ...own,
  };
  await settleTree(deps, ctx);
  const parent = input.parent_group_id ?? null;
  if (parent === null) {
    await deps.groups.insert(group);
    deps.onGroupChanged(ctx.tenant, group._id, false);
    return group;
  }
  // Reserves the name. The group is invisible until it is in the tree.
  await deps.groups.insert({ ...group, pending_since: ctx.now });
  try {
    const step = { kind: 'place', group_id: group._id, parent_group_id: parent } as const;
    await changeTree(deps, ctx, (edges) => validatedStep(edges, step));
  } catch (error) {
    if (error instanceof AppError) await deps.groups.discard(ctx.tenant, group._id);
    throw error;
  }
  deps.onGroupChanged(ctx.tenant, group._id, false);
  return { ...group, parent_group_id: parent };
}

/**
 * Changes all given fields or none. Throws RESOURCE_NOT_FOUND, DUPLICATE_NAME, CIRCULAR_REFERENCE,
 * MAX_DEPTH_EXCEEDED, VALIDATION_ERROR for an unknown parent, CONFLICT.
 */
export async function changeGroup(
  deps: TreeDeps, ctx: ProjectContext, id: string, input: GroupChangeInput, managed_by?: string,
): Promise<GroupDoc> {
  const { name, parent_group_id: parent } = input;
  const text = { name, description: input.description === null ? '' : input.description, managed_by };
  await settleTree(deps, ctx);
  const seen = await loadGroup(deps, ctx, id);
  if (parent === undefined || parent === seen.parent_group_id) {
    if (Object.values(text).every((value) => value === undefined)) return seen;
    const renamed = await deps.groups.rename(ctx.tenant, id, text);
    if (renamed === null) throw notFound('Group');
    deps.onGroupChanged(ctx.tenant, id, false);
    return renamed;
  }
  const isMoved = await changeTree(deps, ctx, (edges) => {
    if (!edges.some((edge) => edge._id === id)) throw notFound('Group');
    return validatedStep(edges, { kind: 'place', group_id: id, parent_group_id: parent, ...text });
  });
  if (!isMoved) throw duplicateName();
  deps.onGroupChanged(ctx.tenant, id, false);
  return loadGroup(deps, ctx, id);
}

/** Moves the group's children and monitors to its parent. Throws RESOURCE_NOT_FOUND, CONFLICT. */
export async function deleteGroup(deps: TreeDeps, ctx: ProjectContext, id: string): Promise<void> {
  try {
    await changeTree(deps, ctx, (edges) => {
      const edge = edges.find((each) => each._id === id);
      if (edge === undefined) throw notFound('Group');
      return { kind: 'remove', group_id: id, to: edge.parent_group_id };
    });
    deps.onGroupChanged(ctx.tenant, id, true);
  } finally {
    // Even if the group is gone, because this request may repeat an interrupted deletion.
    await finishRemovals(deps, ctx);
  }
}

export function tooManyGroups(): AppError {
  const message = `A project can have at most ${MAX_GROUPS} groups`;
  return new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_GROUPS } });
}

/** Throws if the tree does not allow the step. */
function validatedStep(edges: GroupEdge[], step: PlaceStep): PlaceStep {
  switch (placementOf(edges, step.group_id, step.parent_group_id)) {
    case 'fits': return step;
    case 'no_parent': throw fieldError('parent_group_id', 'Unknown group');
    case 'too_deep':
      throw new AppError('MAX_DEPTH_EXCEEDED', `Groups can be nested at most ${MAX_LEVELS} levels deep`);
    case 'circular': {
      const message = 'A group cannot be moved into itself or one of its children';
      throw new AppError('CIRCULAR_REFERENCE', message);
    }
  }
}
