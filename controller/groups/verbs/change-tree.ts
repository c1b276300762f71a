import { AppError } from '../../../shared/errors.ts';
import type { Tenant } from '../../accounts/tenant.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { ChangeContext } from '../../monitors/verbs/change-many.ts';
import { changeGroupMonitors } from '../../monitors/verbs/bulk-monitors.ts';
import type { TreeDeps } from '../deps.ts';
import type { GroupEdge, TreeStep } from '../group.ts';

type RemovalDeps = Pick<TreeDeps, 'removals' | 'monitors'>;

/** Attempts before a contended change gives up; each failed attempt is another change's success. */
const MAX_ATTEMPTS = 100;

/**
 * Carries out the step that `decide` chooses for the current tree, deciding again if the tree changed
 * meanwhile. False: the step's new name is taken. Throws what `decide` throws, and CONFLICT when it never
 * gets through.
 */
export async function changeTree(
  deps: TreeDeps, ctx: ProjectContext, decide: (edges: GroupEdge[]) => TreeStep,
): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const revision = await settleTree(deps, ctx);
    const step = decide(await deps.groups.edges(ctx.tenant));
    // Otherwise a group that was removed earlier could still pass monitors to the one that is removed now.
    if (step.kind === 'remove') await finishRemovals(deps, ctx);
    const isCommitted = await deps.trees.commitStep(ctx.tenant, revision, step);
    if (isCommitted) return applyStep(deps, ctx.tenant, step, revision + 1);
  }
  throw new AppError('CONFLICT', 'The groups are being changed by another request; try again');
}

/**
 * Finishes whatever an ended process left undone and returns the tree's revision. Called before any other
 * change, so that an earlier change never takes effect after a later one was answered.
 */
export async function settleTree(deps: TreeDeps, ctx: ChangeContext): Promise<number> {
  const { revision, step } = await deps.trees.read(ctx.tenant);
  if (step === null) return revision;
  await applyStep(deps, ctx.tenant, step, revision);
  if (step.kind === 'remove') await finishRemovals(deps, ctx);
  return revision;
}

/** Safe to run in several processes at once, and late: it never undoes what a later revision changed. */
async function applyStep(deps: TreeDeps, tenant: Tenant, step: TreeStep, revision: number): Promise<boolean> {
  let isDone = true;
  if (step.kind === 'place') isDone = await deps.groups.place(tenant, step, revision);
  else {
    await deps.removals.add(tenant, step);
    await deps.groups.delete(tenant, step, revision);
  }
  await deps.trees.finish(tenant, revision);
  return isDone;
}

/** Finishes interrupted removals, and clears groups again that were deleted a while ago. */
export async function resumeRemovals(deps: RemovalDeps, now: number): Promise<void> {
  for (const tenant of await deps.removals.tenants(now)) await finishRemovals(deps, { tenant, now });
}

/** Moves the monitors of the project's deleted groups to where they belong. */
export async function finishRemovals(deps: RemovalDeps, ctx: ChangeContext): Promise<void> {
  for (;;) {
    const due = await deps.removals.list(ctx.tenant, ctx.now);
    if (due.length === 0) return;
    for (const { _id: id, to } of due) {
      await changeGroupMonitors(deps.monitors, ctx, id, { action: 'move', group_id: to });
      await deps.removals.markCleared(ctx.tenant, id, ctx.now);
    }
  }
}

/** Of each id that is no group any more: the group that got its monitors; null: none, or too long ago. */
export async function findSuccessors(deps: Pick<TreeDeps, 'groups' | 'removals'>, tenant: Tenant, ids: string[]) {
  const existing = await deps.groups.names(tenant, ids);
  const deleted = ids.filter((id) => !existing.has(id));
  if (deleted.length === 0) return new Map();
  // In this order, because a removal is written before its group is deleted.
  const targets = await deps.removals.targets(tenant, deleted);
  return new Map(deleted.map((id) => [id, targets.get(id) ?? null]));
}
